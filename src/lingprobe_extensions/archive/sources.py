"""Where the files of published encoders are to be had, and under which licence, as far as we know;
docs/published-encoders.md has the same.
"""

from lingprobe.extend import FileSource

INFERSENT_SOURCE = FileSource("https://github.com/facebookresearch/InferSent", "CC BY-NC 4.0")
SKIPTHOUGHT_SOURCE = FileSource("https://github.com/ryankiros/skip-thoughts", "Apache 2.0")
SENT2VEC_SOURCE = FileSource("https://github.com/epfml/sent2vec", "BSD")
LASER_SOURCE = FileSource("https://github.com/facebookresearch/LASER", "BSD")
COVE_SOURCE = FileSource("https://github.com/salesforce/cove", "BSD")
ELMO_SOURCE = FileSource("https://github.com/allenai/bilm-tf", "Apache 2.0")
USE_SOURCE = FileSource("https://tfhub.dev/google/universal-sentence-encoder-large/3", "Apache 2.0")
