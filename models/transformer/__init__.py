"""The Transformer, written by hand: one idea a file.

Read in this order: embedding, positions, masks, attention, key_value_cache, layer_norm,
feed_forward, sublayer, layer_config, encoder, decoder, transformer. Then what is done with it:
generation (next_token, sampling, beam_search), bert, bert_weights, sequence_classifier,
torch_reference, torch_weights, cost, figures.

Masks are bool everywhere in this folder, True = hidden.
Source: Vaswani et al. 2017, "Attention Is All You Need".
"""
