# Put the mark $1 on the squares of row $2, from the left.
column=0
while read -r told; do
    case "$told" in *wins) exit;; esac
    echo "$1 $2 $column"
    column=$((column + 1))
done
