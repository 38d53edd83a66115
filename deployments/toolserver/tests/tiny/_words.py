"""Tokenizers that are made in place, of a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
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


def bytes_bpe(special: Sequence[str], size: int = 400, **more: object) -> PreTrainedTokenizerFast:
    """Pairs of bytes, as GPT-2, Qwen and RoBERTa cut words: it can write any text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(special), initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **more)
