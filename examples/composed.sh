#!/usr/bin/env bash
# Train the encoders of Ettinger et al. 2018, section 7.1, and those that test the paper's two
# explanations for bidirectional Skip-Thought; probe all of them on composition.
#
# usage: examples/composed.sh [--width N] [--examples N] DATA OUT [NAME...]
#
# DATA contains raw_text, nli, treebanks and published_probing, as for examples/trained.sh. A
# sentence vector has 2,400 dimensions, as in the paper, or N. --examples limits the number of
# sentences or pairs (default: all). To continue after a stop, repeat the command.
# `examples/composed.sh --plan` lists the encoders.
#
# The paper gives two possible reasons why bidirectional Skip-Thought scores lower on negation than
# the unidirectional one: each direction has half the dimensions, or one of them reads backward.
# Compare st-forward with st-half for fewer dimensions alone, and with st-backward for reading
# backward alone; st-double has both directions at full size.
set -euo pipefail

plan() {
  cat <<'PLAN'
name         the paper's   network        numbers       objective
bow          BOW           static         N             skip-gram
sdae         SDAE          lstm-last      N             denoise
st-forward   ST-UNI        gru-last       N             skip
st-both      ST-BI         bigru-last     N/2 and N/2   skip
st-half                    gru-last       N/2           skip
st-backward                gru-backward   N             skip
st-double                  bigru-last     N and N       skip
infersent    InferSent     bilstm-max     N/2 and N/2   infer
PLAN
}

if [ "${1:-}" = --plan ]; then plan; exit; fi
width=2400 examples=0
while true; do
  case "${1:-}" in
    --width) width=$2 ;;
    --examples) examples=$2 ;;
    *) break ;;
  esac
  shift 2
done
if [ $# -lt 2 ]; then sed -n '2,17s/^# \{0,1\}//p' "$0"; exit 2; fi
data=$1 out=$2
shift 2
mkdir -p "$out"
export LINGPROBE_TREEBANKS=$data/treebanks
sets=$data/published_probing/compeval-released
novels=("$data"/raw_text/EnglishNovels-PD/sentences.part[12].txt.xz)
pairs=("$data/nli/pool/nli_3way.tsv.xz" --where 'source=lingnli*' split=train)

one() { # NAME ARCHITECTURE OBJECTIVE HIDDEN FILE... [OPTION...]
  local name=$1 architecture=$2 objective=$3 hidden=$4
  shift 4
  lingprobe train "$architecture" --objective "$objective" --data "$@" --exclude UD_English-EWT \
    --hidden "$hidden" --set layers=1 learned=true dim=620 vocabulary=20000 clip=10 \
    "most=$examples" english=true -o "$out/models/$name"
}

for name in ${*:-bow sdae st-forward st-both st-half st-backward st-double infersent}; do
  encoder=trained:$out/models/$name
  case $name in
    bow)
      encoder=static:$out/bow-$width.vec
      if [ ! -e "$out/bow-$width.vec" ]; then
        xzcat "${novels[@]}" > "$out/text.txt"
        lingprobe train vectors "$out/text.txt" --exclude UD_English-EWT --english --skipgram \
          --dim "$width" -o "$out/bow-$width.vec"
      fi
      ;;
    sdae) one sdae lstm-last denoise "$width" "${novels[@]}" ;;
    st-forward) one st-forward gru-last skip "$width" "${novels[@]}" ;;
    st-both) one st-both bigru-last skip $((width / 2)) "${novels[@]}" ;;
    st-half) one st-half gru-last skip $((width / 2)) "${novels[@]}" ;;
    st-backward) one st-backward gru-backward skip "$width" "${novels[@]}" ;;
    st-double) one st-double bigru-last skip "$width" "${novels[@]}" ;;
    infersent) one infersent bilstm-max infer $((width / 2)) "${pairs[@]}" ;;
    *) echo "no encoder $name; see --plan" >&2; exit 2 ;;
  esac
  lingprobe run -t "comp/released/*:$sets,dev=none" -e "$encoder" --seeds 1 --baselines none -o "$out/composed"
done
lingprobe report "$out/composed" --suite "ettinger2018:$sets"
lingprobe compare "$out/composed" -e "trained:$out/models/st-*" --against "trained:$out/models/st-forward"
lingprobe results claims "$out/composed"
