"""Where the files of published encoders are to be had, and under which licence, as far as we know;
docs/published-encoders.md has the same.
"""

from lingprobe.encoders.sources import Source

INFERSENT = Source("https://github.com/facebookresearch/InferSent", "CC BY-NC 4.0")
SKIPTHOUGHT = Source("https://github.com/ryankiros/skip-thoughts", "Apache 2.0")
SENT2VEC = Source("https://github.com/epfml/sent2vec", "BSD")
LASER = Source("https://github.com/facebookresearch/LASER", "BSD")
COVE = Source("https://github.com/salesforce/cove", "BSD")
ELMO = Source("https://github.com/allenai/bilm-tf", "Apache 2.0")
USE = Source("https://tfhub.dev/google/universal-sentence-encoder-large/3", "Apache 2.0")
