"""Where the files of published encoders are to be had, and under which licence, as far as we know;
docs/published-encoders.md has the same.
"""

from lingprobe.extend import FileSource

INFERSENT = FileSource("https://github.com/facebookresearch/InferSent", "CC BY-NC 4.0")
SKIPTHOUGHT = FileSource("https://github.com/ryankiros/skip-thoughts", "Apache 2.0")
SENT2VEC = FileSource("https://github.com/epfml/sent2vec", "BSD")
LASER = FileSource("https://github.com/facebookresearch/LASER", "BSD")
COVE = FileSource("https://github.com/salesforce/cove", "BSD")
ELMO = FileSource("https://github.com/allenai/bilm-tf", "Apache 2.0")
USE = FileSource("https://tfhub.dev/google/universal-sentence-encoder-large/3", "Apache 2.0")
