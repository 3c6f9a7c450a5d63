// Shows the scores of boards, and the hexes that pay for a figure.
import { byId, followKeys, make, makeFigure, makeMarks, makeSvg, readData, save } from "./dom.js";
import { Sorted } from "./tables.js";

// A card with number 0 pays in every game, and is known by its name alone.
const nameCard = ({ name, number }) => (number ? `${number} ${name}` : name);

class Page {
  constructor(data) {
    this.data = data;
    this.svgs = data.boards.map(() => null);
    for (const card of data.cards) byId("cards").append(make("dt", nameCard(card)), make("dd", card.text));
    byId("list").hidden = data.boards.length === 1;
    if (data.boards.length > 1) this.listBoards();
    followKeys(byId("gold"));
    byId("save-picture").addEventListener("click", () => this.save());
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.show(null); });
    addEventListener("hashchange", () => this.open(this.asked(), true));
    this.open(this.asked() ?? 0);
  }

  /* The board that the address names, if any. */
  asked() {
    const number = Number(location.hash.replace("#board-", "")) - 1;
    return number in this.data.boards ? number : undefined;
  }

  svg(number) {
    const text = this.data.boards[number].svg;
    this.svgs[number] ??= new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return this.svgs[number];
  }

  listBoards() {
    const { boards, cards } = this.data;
    const names = [...(boards[0].total ? ["total"] : []), ...cards.map((card) => card.name)];
    byId("figure").append(...names.map((name) => make("option", name)));
    byId("figure").addEventListener("change", () => this.listGold());
    // A picture is made when its row comes into view, so that a long list opens at once.
    const watch = new IntersectionObserver((seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        target.src = this.thumbnail(Number(target.dataset.number));
      }
    });
    this.links = boards.map((board, number) => {
      const image = make("img", "", { alt: "", width: 96, height: 84, "data-number": number });
      watch.observe(image);
      const link = make("a", [image, make("span", board.name)], { href: `#board-${number + 1}` });
      link.addEventListener("click", () => this.open(number, true));
      return link;
    });
    this.listGold();
  }

  listGold() {
    const { boards } = this.data;
    const name = byId("figure").value;
    const figure = (board, player) => (name === "total" && board.total ? board.total : board.gold[name])[board.players.indexOf(player)];
    const columns = [
      { label: "board", heads: true, value: (board) => board.name, cell: (board) => this.links[boards.indexOf(board)] },
      ...this.data.players.map(([player, label]) => ({ label, value: (board) => figure(board, player) })),
      ...(boards[0].total ? [{ label: "winner", value: ({ winners, players, names }) => winners.map((player) => names[players.indexOf(player)].replace(/^player /, "")).join(", ") }] : []),
      { label: "findings", value: (board) => board.findings.length },
    ];
    new Sorted(byId("boards"), columns, boards);
  }

  /* The board alone, without the title, the numbers and the legend around it. */
  thumbnail(number) {
    const copy = this.svg(number).cloneNode(true);
    const places = [...copy.querySelectorAll("[data-row]")];
    const numbers = (element) => element.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const [left, top] = numbers(places[0].parentNode);
    const [right, bottom] = [0, 1].map((i) => places.reduce((most, place) => Math.max(most, numbers(place)[i]), 0));
    const [width, height] = [right + 28, bottom + 32];
    copy.querySelector("rect").remove(); // the paper, which may be dark
    copy.setAttribute("viewBox", `${left - 14} ${top - 16} ${width} ${height}`);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    const text = new XMLSerializer().serializeToString(copy);
    return URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  }

  open(number, moves = false) {
    if (number === undefined) return;
    const board = this.data.boards[number];
    this.board = board;
    byId("name").textContent = board.name;
    byId("winner").textContent = board.saying;
    byId("winner").hidden = !board.winners;
    const count = board.findings.length;
    byId("found").hidden = count === 0;
    byId("found").open = count <= 3; // a long list would push the board away
    byId("count").textContent = count === 1 ? "1 finding" : `${count} findings`;
    byId("findings").replaceChildren(...board.findings.map(([code, detail]) => make("li", `${code}: ${detail}`)));
    byId("picture").replaceChildren(document.importNode(this.svg(number), true));
    const places = [...byId("picture").querySelectorAll("[data-row]")];
    this.places = new Map(places.map((place) => [`${place.dataset.row},${place.dataset.column}`, place]));
    this.listFigures();
    this.show(null);
    this.links?.forEach((link, i) => {
      if (i === number) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    if (moves) byId("name").focus();
  }

  listFigures() {
    const { board } = this;
    const cards = this.data.cards.filter((card) => card.name in board.gold);
    const columns = [
      { label: "card", heads: true, value: (row) => `${row.number} ${row.name}`, cell: nameCard },
      ...board.players.map((_, i) => ({
        label: board.names[i],
        value: (row) => row.gold[i],
        cell: (row, gold) => this.makeFigure(row, i, gold),
      })),
    ];
    const rows = cards.map((card) => ({ ...card, gold: board.gold[card.name], cards: [card] }));
    const sums = board.total ? [{ name: "total", text: "all cards of the game", gold: board.total, cards }] : [];
    new Sorted(byId("gold"), columns, rows, sums);
    const first = byId("gold").querySelector("td button");
    if (first) first.tabIndex = 0; // where nobody has settled there are no figures
  }

  makeFigure(row, i, gold) {
    const label = `${row.name}, ${this.board.names[i]}: ${gold} gold`;
    const button = makeFigure(gold, label, ({ type }) => {
      this.show({ button, label, row, i });
      if (type === "click") byId("why").scrollIntoView({ block: "nearest" });
    });
    return button;
  }

  /* Tell what a figure is paid for, and mark the hexes; null takes the marks away. */
  show(figure) {
    byId("gold").querySelector("[aria-current]")?.removeAttribute("aria-current");
    byId("picture").querySelector(".marks")?.remove();
    byId("why").hidden = !figure;
    if (!figure) return;
    const { button, label, row, i } = figure;
    button.setAttribute("aria-current", "true");
    byId("paid").textContent = label;
    byId("pays").textContent = row.text;
    const paid = row.cards.map((card) => [card, this.board.evidence[card.name][i]]);
    const lines = paid.flatMap(([card, evidence]) => this.say(evidence, row.cards.length > 1 ? `${card.name}: ` : ""));
    byId("reasons").replaceChildren(...(lines.length ? lines : ["nothing pays"]).map((line) => make("li", line)));
    this.mark(paid.flatMap(([, evidence]) => evidence.map(([, gold, hexes]) => [gold, hexes])));
  }

  /* Reasons of one kind that pay the same share a line. */
  say(evidence, before) {
    const groups = new Map();
    for (const [why, gold] of evidence) {
      const words = why.split(" ");
      const which = words.pop();
      const key = [gold, "gold for", ...words].join(" ");
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(which);
    }
    return [...groups].map(([key, which]) => `${before}${which.length > 1 ? `${which.length} \u00D7 ` : ""}${key} ${which.join("; ")}`);
  }

  mark(pieces) {
    const marks = makeMarks(pieces, this.data.outline, (hex) => this.places.get(String(hex))?.getAttribute("transform"));
    this.places.values().next().value.parentNode.append(makeSvg("g", { class: "marks" }, marks));
  }

  /* Save the picture as it is, with its marks. */
  save() {
    const text = new XMLSerializer().serializeToString(byId("picture").firstChild);
    save(`${this.board.name.replace(/.*[/\\]|\.\w+$/g, "")}.svg`, text, "image/svg+xml");
  }
}

readData().then((data) => {
  window.report = new Page(data);
  document.documentElement.dataset.ready = "yes";
});
