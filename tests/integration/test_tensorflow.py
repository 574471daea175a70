"""The Universal Sentence Encoder's two forms of modules, made small and read by TensorFlow itself;
skipped where it is not installed; `make test-integration` has an environment with it.
"""

import numpy as np
import pytest

from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder

pytestmark = pytest.mark.integration
tf = pytest.importorskip("tensorflow")
TEXTS = ["a", "c", "unknown"]


def hub_module(folder):
    """A module of TensorFlow 1 with a variable and a table, and what it makes of the texts."""
    old = tf.compat.v1
    with tf.Graph().as_default(), old.Session() as session:
        texts = old.placeholder(tf.string, [None])
        rows = tf.lookup.KeyValueTensorInitializer(
            ["a", "b", "c"], tf.constant([1, 2, 3], tf.int64)
        )
        start = old.random_normal_initializer(seed=1)
        vectors = old.get_variable("vectors", [4, 512], initializer=start)
        made = tf.gather(vectors, tf.lookup.StaticHashTable(rows, 0).lookup(texts))
        session.run([old.global_variables_initializer(), old.tables_initializer()])
        info = old.saved_model.build_tensor_info
        signature = old.saved_model.build_signature_def(
            {"text": info(texts)}, {"default": info(made)}
        )
        builder = old.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(
            session, [], {"default": signature}, main_op=old.tables_initializer()
        )
        builder.save()
        return session.run(made, {texts: TEXTS})


def saved_model(folder):
    """A SavedModel that is called as a function, and what it makes of the texts."""
    vectors = tf.Variable(tf.random.stateless_normal([64, 512], [0, 1]))

    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def __call__(self, texts):
            return tf.gather(vectors, tf.strings.to_hash_bucket_fast(texts, 64))

    module = Module()
    module.vectors = vectors
    tf.saved_model.save(module, str(folder))
    return module(tf.constant(TEXTS)).numpy()


@pytest.mark.parametrize("build", [hub_module, saved_model])
def test_vectors_are_those_of_tensorflow_together_and_alone(build, tmp_path):
    wanted = build(tmp_path / "module")
    encoder = make_encoder(f"use:{tmp_path / 'module'}")
    sentences = [Sentence.of((text,)) for text in TEXTS]
    assert np.allclose(encoder.encode(sentences).layers[0], wanted)
    for sentence, vector in zip(sentences, wanted, strict=True):
        assert np.allclose(encoder.encode([sentence]).layers[0][0], vector)
