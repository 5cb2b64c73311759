"""The Transformer, written by hand: one idea a file.

What a served title runs through stands in this folder. Read it in this order: embedding, positions,
masks, attention, layer_norm, feed_forward, sublayer, layer_config, encoder; then what makes a
classifier of it: bert, bert_weights, width_embedding, low_rank, sequence_classifier.

`seq2seq/`, the Transformer that writes: key_value_cache, cached_attention, decoder, transformer,
language_model, next_token, sampling, beam_search, generation.
`study/`, what there is to learn from: cost, sequence_layers, masked_weights, saturation, norms,
warm_up; drawing, figures; torch_reference, torch_weights.

Masks are bool everywhere in this folder, True = hidden.
Source: Vaswani et al. 2017, "Attention Is All You Need".
"""
