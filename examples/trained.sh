#!/usr/bin/env bash
# Train an encoder for each objective of Conneau et al. 2018, and probe all of them
# (benchmarks/results/trained.md).
#
# usage: examples/trained.sh [--large] [--curves] DATA OUT [NAME...]
#
# DATA contains raw_text, parallel, nli, constituency, treebanks and published_probing, as on the
# page. Everything is written to OUT. To continue after a stop, repeat the command. With names, only
# these are trained and probed: `examples/trained.sh DATA OUT next infer`. A name with a number, such
# as next-1, is another seed; names with w64, w128 and w512 are other widths.
# --large takes three to ten times the examples, for a GPU. --curves probes every epoch on ud/, too.
# `examples/trained.sh --plan` lists the encoders, with the time that each took.
set -euo pipefail

plan() {
  cat <<'PLAN'
                                              one processor core             --large, on one H100
                                              (minutes of its time)          (12 trainings at once)
name               network        objective   examples  epochs  minutes      examples  minutes
vectors            skip-gram      novels, and the sentences below     3            2
untrained          bilstm-max, five draws, and the mean of vectors  (20)           -
infer-mean         mean           infer         30,000       8      0.3       44,300      1.5
translate-fr       bilstm-max     translate     20,000       8      5.4      100,000      4.6
autoencode         bilstm-max     autoencode     8,000       8      5.3       60,000      8.2
parse              bilstm-max     parse          6,000       8      5.8       27,500      9.9
denoise            bilstm-max     denoise        8,000       8      (6)       60,000      8.8
next               bilstm-max     next           8,000       8      7.9       60,000      7.0
infer              bilstm-max     infer         30,000       8      (8)       44,300      2.8
skip               bilstm-max     skip           8,000       8      (12)      60,000     10.9
translate-fr-last  bilstm-last    translate     20,000       8      (6)      100,000      4.3
translate-fr-conv  gated-convnet  translate     20,000       8      (8)      100,000      4.1
translate-de       bilstm-max     translate     20,000       8      (6)      100,000      4.4
translate-fi       bilstm-max     translate     20,000       8      (6)       57,000      2.0
infer-last         bilstm-last    infer         30,000       8      (8)       44,300      2.2
(): a guess from others. -: not measured. Probing an encoder takes about three and a
half minutes of one core: two on the five comp/ tasks, the rest on nine ud/ and ten tree/ tasks.
PLAN
}

if [ "${1:-}" = --plan ]; then plan; exit; fi
large='' curves=''
while true; do
  case "${1:-}" in --large) large=yes ;; --curves) curves=yes ;; *) break ;; esac
  shift
done
if [ $# -lt 2 ]; then sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 2; fi
data=$1 out=$2
shift 2
names=${*:-untrained infer-mean translate-fr autoencode parse denoise next infer skip translate-fr-last translate-fr-conv translate-de translate-fi infer-last}
plan
mkdir -p "$out"
export LINGPROBE_TREEBANKS=$data/treebanks
probed=$data/treebanks/UD_English-EWT
novels=$data/raw_text/EnglishNovels-PD/sentences.part2.txt.xz
nli=$data/nli/pool/nli_3way.tsv.xz
tatoeba=$data/parallel/Tatoeba-ManyThings
asked=(-t 'ud/*:UD_English-EWT' "tree/*:$data/constituency/EWT-propbank-skel")
composed=(-t "comp/released/*:$data/published_probing/compeval-released,dev=none")
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
  lingprobe train vectors "$out/text.txt" --exclude "$probed" --english --skipgram --epochs 3 --least 3 \
    -o "$out/novels.vec"
fi

probe() { # ENCODER...
  lingprobe run "${asked[@]}" -e "$@" --probe logreg --seeds 1 --baselines none -o "$out/learned"
  lingprobe run "${composed[@]}" -e "$@" --seeds 1 --baselines none -o "$out/learned"
}

one() { # NAME ARCHITECTURE OBJECTIVE EXAMPLES FILE... [OPTION...]
  local name=$1 architecture=$2 objective=$3 most=$4 width=256 seed=0 batch=1024
  shift 4
  if [ $large ]; then batch=4096; fi
  case $name in *-w[0-9]*) width=${name##*-w} ;; *-[0-9]) seed=${name##*-} ;; esac
  lingprobe train "$architecture" --objective "$objective" --data "$@" --recipe small --epochs 8 \
    --vectors "$out/novels.vec" --exclude "$probed" --hidden "$width" --seed "$seed" \
    --set "most=$most" "batch=$batch" english=true patience=0 on_error=skip -o "$out/models/$name"
  probe "trained:$out/models/$name"
  if [ $curves ]; then
    lingprobe run -t 'ud/*:UD_English-EWT' -e "trained:$out/models/$name,epoch=0+*" --probe logreg \
      --seeds 1 --baselines none -o "$out/learned"
  fi
}

pairs=20000 sentences=8000 parsed=6000 inferred=30000
if [ $large ]; then pairs=100000 sentences=60000 parsed=0 inferred=0; fi  # 0: all
lingnli=("$nli" --where 'source=lingnli*' split=train)
for name in $names; do
  case $name in
    untrained)
      probe "static:$out/novels.vec" \
        "untrained:bilstm-max,hidden=256,layers=1,vectors=$out/novels.vec,seed="{0..4}
      ;;
    translate-fr-last) one "$name" bilstm-last translate $pairs "$tatoeba/eng-fra.tsv.xz" ;;
    translate-fr-conv) one "$name" gated-convnet translate $pairs "$tatoeba/eng-fra.tsv.xz" ;;
    translate-fr | translate-fr-*) one "$name" bilstm-max translate $pairs "$tatoeba/eng-fra.tsv.xz" ;;
    translate-de) one "$name" bilstm-max translate $pairs "$tatoeba/eng-deu.tsv.xz" ;;
    translate-fi) one "$name" bilstm-max translate $pairs "$tatoeba/eng-fin.tsv.xz" ;;
    skip | autoencode | denoise) one "$name" bilstm-max "$name" $sentences "$novels" ;;
    next | next-*) one "$name" bilstm-max next $sentences "$novels" ;;
    # shellcheck disable=SC2086
    parse) one "$name" bilstm-max parse $parsed $trees ;;
    infer-last) one "$name" bilstm-last infer $inferred "${lingnli[@]}" ;;
    infer-mean) one "$name" mean infer $inferred "${lingnli[@]}" ;;
    infer | infer-*) one "$name" bilstm-max infer $inferred "${lingnli[@]}" ;;
    *) echo "no encoder $name; see --plan" >&2; exit 2 ;;
  esac
done
if [ $curves ]; then
  lingprobe results curve "$out/learned"
  lingprobe results curve "$out/learned" -o "$out/learned.svg"
fi
