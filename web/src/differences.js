/* Which lines of a text are new, and before which lines some are missing, both from 1. */

const MOST = 1500;

export function compareLines(old, now) {
  const [before, after] = [old.split("\n"), now.split("\n")];
  let begin = 0;
  while (begin < before.length && begin < after.length && before[begin] === after[begin]) begin += 1;
  let [left, right] = [before.length, after.length];
  while (left > begin && right > begin && before[left - 1] === after[right - 1]) {
    left -= 1;
    right -= 1;
  }
  const kept = match(before.slice(begin, left), after.slice(begin, right));
  const fresh = [];
  const missing = [];
  let at = 0;
  for (let row = begin; row < right; row += 1) {
    const from = kept.get(row - begin);
    if (from === undefined) fresh.push(row + 1);
    else {
      if (from > at) missing.push(row + 1);
      at = from + 1;
    }
  }
  if (at < left - begin) missing.push(Math.min(right + 1, after.length));
  return { fresh, missing };
}

/* The longest common sequence: the old row of each new row that stays. */
function match(before, after) {
  const kept = new Map();
  if (before.length > MOST || after.length > MOST) return kept;
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  for (let i = 0, j = 0; i < before.length && j < after.length;) {
    if (before[i] === after[j]) kept.set(j++, i++);
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return kept;
}
