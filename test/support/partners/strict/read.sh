address=$1
shift
for path in "$@"; do
  answer=$(curl -sS --fail-with-body --max-time 10 -H 'Authorization: Bearer any' "$address$path")
  printf '%s %s\n' "$path" "$(sed 's/"timestamp":"[^"]*"//' <<<"$answer")"
done
