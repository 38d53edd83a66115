"""Tokenizers that are made in place, of a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

SENTENCES = (
    "The cat sits on the mat and looks at the red house.",
    "A dog runs over the green field; the sun is bright.",
    "What is the total of the invoice? It is 42 euros.",
    "Anna from Lisbon met Bob in Berlin on Monday.",
    "Good morning, dear world! How are you today?",
    "Der Hund und die Katze sind im Haus. Guten Morgen!",
)

CHAT = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{{ '<|vision_start|><|image_pad|><|vision_end|>' }}"
    "{% elif part['type'] == 'video' %}{{ '<|vision_start|><|video_pad|><|vision_end|>' }}"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""The form that Qwen's models are talked to in (ChatML)."""


def bytes_bpe(special: Sequence[str], size: int = 400, around: tuple[str, str] | None = None, **more: object) -> PreTrainedTokenizerFast:
    """Pairs of bytes, as GPT-2, Qwen and RoBERTa cut words: it can write any text. around are
    the tokens that stand before and behind each text, if any."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(special), initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(SENTENCES, trainer)
    if around:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=" ".join([around[0], "$A", around[1]]).strip(), special_tokens=[(t, tokenizer.token_to_id(t)) for t in around if t]
        )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **more)


def pieces(**more: object) -> PreTrainedTokenizerFast:
    """Pieces of words, as BERT cuts them: [CLS] text [SEP], or two texts."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[ENC]", "[DEC]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(SENTENCES, trainers.WordPieceTrainer(vocab_size=200, special_tokens=special))
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **{**names, **more})


def bert(size: int, labels: Sequence[str], **more: object) -> dict[str, object]:
    """The configuration of a tiny BERT with those labels."""
    return {
        "vocab_size": size, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
        "max_position_embeddings": 32, "initializer_range": 0.5, "id2label": dict(enumerate(labels)),
        "label2id": {label: i for i, label in enumerate(labels)}, **more,
    }  # fmt: skip
