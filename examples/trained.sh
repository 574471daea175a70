#!/usr/bin/env bash
# Train an encoder for each objective of Conneau et al. 2018 at recipe `small`, and probe what each
# knows after every epoch (docs/results/trained.md).
#
# usage: examples/trained.sh DATA OUT [NAME...]
#
# DATA holds raw_text, parallel, nli, constituency and treebanks, as the page says. Everything is
# written to OUT. Give the command again after a stop: what is done stays, what was begun goes on.
# With names, only those are trained and probed: `examples/trained.sh DATA OUT next infer`.
# `examples/trained.sh --plan` prints what there is, with what it took on one core.
set -euo pipefail

plan() {
  cat <<'PLAN'
name               network        objective   examples  epochs  minutes on one core, other work beside it
vectors            skip-gram      novels, and the sentences below    3      2
translate-fr       bilstm-max     translate     30,000       8     28
translate-de       bilstm-max     translate     30,000       8     36
next               bilstm-max     next          12,000       8     47
skip               bilstm-max     skip          12,000       8     not measured; about 70
autoencode         bilstm-max     autoencode    12,000       8     not measured; about 45
denoise            bilstm-max     denoise       12,000       8     not measured; about 45
parse              bilstm-max     parse         12,000       8     not measured; about 45
infer              bilstm-max     infer         30,000       5     43
translate-fr-last  bilstm-last    translate     30,000       8     not measured; about 28
translate-fr-conv  gated-convnet  translate     30,000       8     not measured; about 45
PLAN
}

if [ "${1:-}" = --plan ]; then plan; exit; fi
if [ $# -lt 2 ]; then sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; fi
data=$1 out=$2
shift 2
names=${*:-translate-fr translate-de next skip autoencode denoise parse infer translate-fr-last translate-fr-conv}
plan
mkdir -p "$out"
export SONDE_TREEBANKS=$data/treebanks
probed=$data/treebanks/UD_English-EWT
novels=$data/raw_text/EnglishNovels-PD/sentences.part2.txt.xz
nli=$data/nli/pool/nli_3way.tsv.xz
tatoeba=$data/parallel/Tatoeba-ManyThings
trees="$data/constituency/PTB-sample-NLTK/wsj_0001-0199.combined.mrg.xz
  $data/constituency/MASC-PTB/masc_ptb.mrg.xz $data/constituency/GENIA-treebank-v1/genia_v1.ptb.xz"

if [ ! -e "$out/novels.vec" ]; then
  {
    xzcat "$novels"
    xzcat "$data/raw_text/EnglishNovels-PD/sentences.part1.txt.xz" | head -250001 || true
    xzcat "$tatoeba/eng-fra.tsv.xz" "$tatoeba/eng-deu.tsv.xz" | cut -f1 | awk '!seen[$0]++'
    xzcat "$nli" | awk -F'\t' '$1 ~ /^lingnli/ && $2 == "train" {print $6; print $7}' |
      awk '!seen[$0]++'
  } > "$out/text.txt"
  sonde vectors "$out/text.txt" --exclude "$probed" --english --skipgram --epochs 3 --least 3 \
    -o "$out/novels.vec"
fi

one() { # NAME ARCHITECTURE OBJECTIVE EXAMPLES EPOCHS FILE...
  local name=$1 architecture=$2 objective=$3 most=$4 epochs=$5
  shift 5
  sonde train "$architecture" --objective "$objective" --data "$@" --recipe small \
    --vectors "$out/novels.vec" --epochs "$epochs" --exclude "$probed" \
    --set "most=$most" english=true patience=0 on_error=skip -o "$out/models/$name"
  sonde run -t 'ud/*:UD_English-EWT' -e "trained:$out/models/$name,epoch=0+*" --probe logreg \
    --seeds 1 -o "$out/learned"
}

for name in $names; do
  case $name in
    translate-fr) one "$name" bilstm-max translate 30000 8 "$tatoeba/eng-fra.tsv.xz" ;;
    translate-de) one "$name" bilstm-max translate 30000 8 "$tatoeba/eng-deu.tsv.xz" ;;
    translate-fr-last) one "$name" bilstm-last translate 30000 8 "$tatoeba/eng-fra.tsv.xz" ;;
    translate-fr-conv) one "$name" gated-convnet translate 30000 8 "$tatoeba/eng-fra.tsv.xz" ;;
    next | skip | autoencode | denoise) one "$name" bilstm-max "$name" 12000 8 "$novels" ;;
    # shellcheck disable=SC2086
    parse) one "$name" bilstm-max parse 12000 8 $trees ;;
    infer) one "$name" bilstm-max infer 30000 5 "$nli" --where 'source=lingnli*' split=train ;;
    *) echo "no encoder $name; see --plan" >&2; exit 2 ;;
  esac
done
sonde curve "$out/learned"
sonde curve "$out/learned" -o "$out/learned.svg"
