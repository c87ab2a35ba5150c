# Networks of transformers from small configurations, without weights and without dropout.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CASES: a function per network, which returns the module and its inputs by name; labels among them make its loss."""
import torch
import transformers

ROWS, PLACES, WORDS = 3, 10, 60
SMALL = dict(vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=24)
CALM = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)


def words(places=PLACES):
    return torch.randint(3, WORDS, (ROWS, places))


def mask():
    """Rows of several lengths."""
    lengths = torch.tensor([PLACES, 7, 4])
    return (torch.arange(PLACES)[None] < lengths[:, None]).long()


def of_rows(network, config):
    """A class per row, from rows that are padded."""
    return network(config), {"input_ids": words(), "attention_mask": mask(), "labels": torch.randint(0, 2, (ROWS,))}


def of_places(network, config):
    return network(config), {"input_ids": words(), "attention_mask": mask(), "labels": torch.randint(0, 2, (ROWS, PLACES))}


def of_words(network, config):
    """The next or the masked word at every place."""
    module = network(config)
    return module, {"input_ids": words(), "attention_mask": mask(), "labels": words()}


def following(name, **options):
    given = dict(vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=64,
                 max_position_embeddings=24, attention_dropout=0.0, pad_token_id=0, bos_token_id=1, eos_token_id=2)
    config = getattr(transformers, f"{name}Config")(**(given | options))
    return of_words(getattr(transformers, f"{name}ForCausalLM"), config)


def bert():
    return of_rows(transformers.BertForSequenceClassification, transformers.BertConfig(**SMALL, **CALM, classifier_dropout=0.0))


def bert_masked_words():
    return of_words(transformers.BertForMaskedLM, transformers.BertConfig(**SMALL, **CALM))


def distilbert():
    config = transformers.DistilBertConfig(vocab_size=WORDS, dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=24,
                                           dropout=0.0, attention_dropout=0.0, seq_classif_dropout=0.0)
    return of_rows(transformers.DistilBertForSequenceClassification, config)


def roberta():
    return of_rows(transformers.RobertaForSequenceClassification, transformers.RobertaConfig(**SMALL, **CALM, classifier_dropout=0.0))


def albert():
    config = transformers.AlbertConfig(**SMALL, **CALM, embedding_size=16, classifier_dropout_prob=0.0)
    return of_rows(transformers.AlbertForSequenceClassification, config)


def electra():
    config = transformers.ElectraConfig(**SMALL, **CALM, embedding_size=16, classifier_dropout=0.0)
    return of_places(transformers.ElectraForTokenClassification, config)


def deberta_v2():
    config = transformers.DebertaV2Config(**SMALL, **CALM, relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=8,
                                          norm_rel_ebd="layer_norm", share_att_key=True)
    return of_places(transformers.DebertaV2ForTokenClassification, config)


def mpnet():
    return of_rows(transformers.MPNetForSequenceClassification, transformers.MPNetConfig(**SMALL, **CALM))


def gpt2():
    config = transformers.GPT2Config(vocab_size=WORDS, n_positions=24, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0,
                                     attn_pdrop=0.0)
    return of_words(transformers.GPT2LMHeadModel, config)


def gpt_neox():
    return following("GPTNeoX", hidden_dropout=0.0)


def opt():
    config = transformers.OPTConfig(vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, word_embed_proj_dim=32,
                                    max_position_embeddings=24, dropout=0.0, attention_dropout=0.0)
    return of_words(transformers.OPTForCausalLM, config)


def llama():
    return following("Llama")


def mistral():
    return following("Mistral", sliding_window=4)


def qwen2():
    return following("Qwen2")


def qwen3():
    return following("Qwen3", head_dim=8)


def gemma():
    return following("Gemma", head_dim=8)


def phi():
    return following("Phi", resid_pdrop=0.0, embd_pdrop=0.0)


def mixtral():
    """Experts that the data chooses; PyTorch has their grouped products not in f64."""
    return following("Mixtral", num_local_experts=4, num_experts_per_tok=2, experts_implementation="batched_mm")


def t5():
    config = transformers.T5Config(vocab_size=WORDS, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0.0,
                                   decoder_start_token_id=0)
    return transformers.T5ForConditionalGeneration(config), {"input_ids": words(), "attention_mask": mask(), "labels": words(6)}


def bart():
    config = transformers.BartConfig(vocab_size=WORDS, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                                     decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=24, dropout=0.0)
    return transformers.BartForConditionalGeneration(config), {"input_ids": words(), "attention_mask": mask(), "labels": words(6)}


def of_pixels(network, config, size=32, **inputs):
    return network(config), {"pixel_values": torch.randn(ROWS, 3, size, size), **inputs, "labels": torch.randint(0, 2, (ROWS,))}


PATCHES = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8, **CALM)


def vit():
    return of_pixels(transformers.ViTForImageClassification, transformers.ViTConfig(**PATCHES))


def deit():
    return of_pixels(transformers.DeiTForImageClassification, transformers.DeiTConfig(**PATCHES))


def segformer():
    config = transformers.SegformerConfig(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[16, 32], patch_sizes=[7, 3],
                                          strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2], **CALM, classifier_dropout_prob=0.0,
                                          drop_path_rate=0.0)
    return of_pixels(transformers.SegformerForImageClassification, config)


def wav2vec2():
    config = transformers.Wav2Vec2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, conv_dim=[16, 16],
                                         conv_kernel=[10, 3], conv_stride=[5, 2], hidden_dropout=0.0, attention_dropout=0.0,
                                         activation_dropout=0.0, feat_proj_dropout=0.0, layerdrop=0.0, num_conv_pos_embeddings=8,
                                         num_conv_pos_embedding_groups=4, num_feat_extract_layers=2, apply_spec_augment=False,
                                         final_dropout=0.0, classifier_proj_size=16)
    inputs = {"input_values": torch.randn(ROWS, 400), "labels": torch.randint(0, 2, (ROWS,))}
    return transformers.Wav2Vec2ForSequenceClassification(config), inputs


CASES = (bert, bert_masked_words, distilbert, roberta, albert, electra, deberta_v2, mpnet, gpt2, gpt_neox, opt, llama, mistral, qwen2, qwen3, gemma,
         phi, mixtral, t5, bart, vit, deit, segformer, wav2vec2)
