"""What each figure of the notebooks shows, for readers who cannot see it: the alt texts, by notebook and figure.

A name in braces is a value of the reader's own run, which the notebook's cell gives to :func:`alt_text`.
"""

from __future__ import annotations

from course_utils.errors import CourseError

FIGURES = {
    "05_level_lines": (
        " Two level lines to compare with: the generator's own surprise, {entropy:.2f}, and 0.09 above it the "
        "best reader who knows the grammar but not which words are on one side."
    ),
    "00_bar_chart_predicted": "Bar chart of the predicted minutes of computing for each notebook on this machine: {bars}.",
    "01_s_shaped_curves": (
        "Four S-shaped curves of the weight of the asked item against the query length beta from 0 to 16, for "
        "2, 10, 100 and 1000 items. Each starts at 1/n and ends at 1; more items move the same curve to the "
        "right by ln(n-1)."
    ),
    "01_bars_ten_attention": (
        "Bars of ten attention weights for beta {beta:.1f}: item 4 has the weight {asked:.3f}, each of the "
        "other nine {others:.3f}."
    ),
    "01_bar_charts_ten": (
        "Four bar charts of ten attention weights, for beta 0, 2, 4 and 8. Item 4 is asked for; its bar grows "
        "from 0.10 to 0.45, 0.86 and 1.00, while the other nine shrink together from 0.10 to nearly 0."
    ),
    "01_weight_each_asked": (
        "Weight of each of two asked items against beta from 0 to 16. The curves for 2, 10, 100 and 1000 "
        "items rise from 1/n to one half; with two items the weight is one half everywhere."
    ),
    "01_misplaced_weight_standard": (
        "Misplaced weight against the standard deviation of the keys, both axes logarithmic, for beta 3, 5 "
        "and 20. For beta 20 a straight line of slope one that bends towards one half at the right; for beta "
        "3 and 5 the curve is level at a floor, 0.17 and 0.026, until the noise takes over."
    ),
    "01_histograms_weight_item": (
        "Three histograms of the weight of item a over 4,000 draws, for beta 2, 5 and 20. The larger beta, "
        "the more the weights gather at 0 and at 1, with hardly any near one half: two peaks."
    ),
    "01_root_mean_square": (
        "Root mean square distance of the output from the mean of the two values, against beta from 0 to 80, "
        "with one and two heads, over all draws and over those with positive gamma. One head is best at beta "
        "2, with 0.35, and rises to 0.7. Two heads fall and level off between 0.15 and 0.16 over all draws, "
        "and fall to 0.03 with positive gamma alone."
    ),
    "01_coefficients_u_u": (
        "Coefficients of u_a, u_b and the added vector in c_2 while u_d (left) or u_c (right) is added to "
        "word 2 in amounts from -3 to 3, for beta 4. The coefficient of u_a stays 1, that of u_b stays 0, and "
        "the added vector comes back as it was put in: word 2 always returns itself."
    ),
    "01_scatter_plots_output": (
        "Two scatter plots of the output in the plane of v_a and v_b over 1,500 draws, beta 20. One head: the "
        "dots lie along the whole line from v_a to v_b, most of them at its ends. Two heads: about nine dots "
        "in ten sit on the mean of the two, with a tail towards smaller shares of v_a."
    ),
    "02_6_by_6": (
        "Three 6 by 6 masks, queries down and keys across. Causal: the lower triangle with its diagonal is "
        "allowed. Padding: columns 0 and 1 are forbidden. Both: the intersection, whose first two rows are "
        "empty."
    ),
    "02_maps_number_4735": (
        "Two maps for the number 4735, digits across, words down, darker = the word depends more on the "
        "digit. The digit that each word depends on most: {told}."
    ),
    "02_log_log_plot": (
        "Log-log plot of FLOPs against sequence length for width 64. The projections rise with slope 1, "
        "scores and weighted sum with slope 2; they cross at length 128, and the total goes from slope near 1 "
        "to slope 2."
    ),
    "02_tree_one_output": (
        "A tree from one output in layer 3 down to the inputs. Each node branches in three: itself (solid), "
        "the first head (dashed) and the second head (dotted). With distances 1, 2, then 3, 6, then 9, 18 the "
        "tree reaches 27 different positions."
    ),
    "02_plots_head_width": (
        "Three plots against the head width d from 4 to 512. Without scaling the variance rises with slope 1, "
        "the entropy falls towards 0 and the Jacobian, after a small rise, shrinks to less than half; with "
        "scaling all three stay level."
    ),
    "02_kinds_of_stacks": (
        "Thirteen kinds of stacks, eight seeds each, as dots. Left, gradient at the input over the output: "
        "with none of the three, with biases or without, below 2e-15, with a norm or He weights alone between "
        "0.02 and 1.2, with both 0.3 to 2.7, with a residual 0.8 to 2.2, with a residual and He weights "
        "thousands, with all three 0.4 to 5.8. Right, the part of the output that depends on the input: 0 "
        "percent with none of the three, 36 to 46 without biases, 2 to 16 with a norm alone, 18 to 37 with He "
        "weights, 10 to 24 with both, 76 to 87 with a residual, 35 to 54 with a residual and He weights, 23 "
        "to 40 in post-norm with He weights, 57 to 73 in pre-norm."
    ),
    "02_gradient_last_output": (
        "Left: gradient of the last output against the distance of the input, median and range of eight "
        "untrained networks. It falls exponentially for the recurrent network as PyTorch draws it, to a "
        "third or so for the one with a larger orthogonal matrix, and is nearly level for the LSTM and for "
        "self-attention. Right: processor time of a forward pass against length for the recurrent network and "
        "self-attention."
    ),
    "02_stacked_shares_encoder": (
        "Stacked shares of an encoder layer's operations against text length from 32 to 32,768 tokens, width "
        "512. Up to about 500 tokens the feed-forward network (about 60 percent) and the projections (30 "
        "percent) dominate; beyond 6k = 3,072 tokens scores and weighted sum need more than half."
    ),
    "03_64_by_64": (
        "Left: a 64 by 64 image of the dot products of sinusoidal positions, bright on the diagonal, with "
        "parallel bands that fade to both sides: equal offsets have equal values. Right: the dot product "
        "divided by d/2 against the offset for three settings. All start at 1 and fall in waves; the one with "
        "base 50 soon waves around 0, the two with base 10,000 wave around one half, between 0.2 and 0.7."
    ),
    "03_histograms_cross_term": (
        "Left: histograms of the cross term of two unit vectors for d 4, 32 and 512: wide for 4, a narrow "
        "peak at 0 for 512. Right: the variance against d in log-log axes. For raw vectors it rises with "
        "slope about 1, for unit vectors it falls with slope about minus 1."
    ),
    "03_attention_weights_24": (
        "Attention weights of 24 places for three tables of biases and equal words. A bias that falls with "
        "distance gives a dark diagonal that fades to both sides; a bias of 4 at offset 1 gives one dark line "
        "just below the diagonal; minus 30 for negative offsets empties the upper triangle, a causal mask."
    ),
    "03_rotary_score_equal": (
        "Rotary score of two equal words against their offset from 0 to 256, for queries at places 300, 1,500 "
        "and 4,000: the three curves lie on top of each other. They start at 1 and fall in waves: between "
        "0.49 and 0.63 near offset 30, between 0.17 and 0.58 beyond 100."
    ),
    "03_clocks_hands_rotary": (
        "Three clocks with the hands of the rotary pairs 0, 4, 8, 12 and 20. At offset 1 all hands but the "
        "fastest, pair 0, point near 12 o'clock. At offset 12 the pairs 0, 4 and 8 have spread out, pair 12 "
        "has turned by 22 degrees and pair 20 by 2. At offset 100 pair 12 points down, and the slowest, pair "
        "20, has only begun to move."
    ),
    "03_clock_hands_five": (
        "Left: a clock with the hands of five rotary pairs at offset {o}. Right: the score of equal words "
        "against the offset, with a dot at offset {o}, score {curve:.2f}."
    ),
    "03_outputs_attention_hidden": (
        "Outputs of attention at two hidden places, 16 coordinates each. Left, word and position replaced by "
        "the mask: both lines coincide. Right, only the word replaced: the lines differ clearly."
    ),
    "03_score_fixed_words": (
        "Score of two fixed words against their offset, 0 to 96, for queries at places 100, 400 and 900. "
        "Left, with sinusoids added: three different curves, the absolute place matters. Right, with rotary "
        "positions: the three curves are one."
    ),
    "04_right_count_minus": (
        "Right count minus the sheet's count, divided by the width squared, against the number of layers from "
        "1 to 8 for widths 16, 32 and 64. Straight lines: about one D squared is missing with one layer, and "
        "three more with each further layer; the terms in D make the lines of small widths steeper."
    ),
    "04_trained_numbers_number": (
        "Trained numbers against the number of heads from 1 to 64, relative to one head. Vanilla is a level "
        "line. The relative bias and the synthesizer rise slightly and lie on top of each other, by about one "
        "percent at 64 heads; the synthesizer with a shared B falls by about four percent, most of it up to 8 "
        "heads."
    ),
    "04_memory_use_during": (
        "Memory in use during one training step, for explicit and for fused attention. Both climb by the same "
        "amount for each of the four layers during the forward pass, reach the peak at the loss and fall "
        "again layer by layer during the backward pass. The peak is about 45 megabytes with explicit "
        "attention and about 37 with the fused kernel."
    ),
    "04_operations_per_second": (
        "Left: operations per second of one block against its width, compared with one large matrix product; "
        "the narrowest block reaches a fraction, the widest most of it. Right: share of the block's time that "
        "is spent in matrix products, with weights and in fused attention; the sum grows with the width."
    ),
    "04_stacked_bars_trained": (
        "Stacked bars of trained numbers with V = 50,001, D = 200 and four layers. Language model: embedding "
        "10,000,200, layers 968,000, head 10,050,201, together 21,018,401. Classifier: the same embedding and "
        "layers, a head of 402 that is too small to be seen, together 10,968,602."
    ),
    "05_5_by_5": (
        "Left: a 5 by 5 mask, dark above the diagonal, where a position would look at a later one. Right: "
        "mean length of vectors for width 64: embeddings with the factor root D and positions are both 8 "
        "long, embeddings without it only 1."
    ),
    "05_pretraining_loss_epoch": (
        "Pretraining loss against epoch, from {first:.2f} to {last:.2f} nats per "
        "token, {dev_loss:.2f} on dev reviews at the end.{lines}"
    ),
    "05_share_well_formed": (
        "Share of well-formed sentences against their number in the written review, with 95 percent intervals: {told}."
    ),
    "05_accuracy_dev_reviews": (
        "Accuracy on dev reviews against epoch of finetuning for three conditions, mean and 95 percent band over "
        "{seeds} seeds. After epoch {epochs}: {ends}; bag of words {bag:.0f} %."
    ),
    "05_scatter_plots_one": (
        "Two scatter plots, one dot per adjective: the classifier's logit difference for the word alone across, "
        "for not and the word up, on equal scales, with a dotted line of slope -1. Over the words that were "
        "never labelled, correlation and slope are {scratch:+.2f} and {scratch_slope:+.2f} for the classifier from "
        "scratch, {frozen:+.2f} and {frozen_slope:+.2f} for the frozen base."
    ),
    "06_8_by_8": (
        "Three 8 by 8 grids for the sentence anna saw the bank by the river, token changed across, state "
        "down. Forward half: dark on and below the diagonal, states move when an earlier token or their own "
        "changes. Backward half: dark on and above the diagonal. Whole state: dark everywhere, it depends on "
        "every token."
    ),
    "06_training_loss_step": (
        "Left: training loss against step. With mask it falls towards the entropy of {entropy:.2f} nats per "
        "token; without mask it falls far below, to nearly zero. Right: share of written sentences that occur "
        "in the corpus: with mask {masked}, without mask {unmasked}."
    ),
    "06_grid_24_texts": (
        "Left: a grid of 24 texts, one row each, where about one place in seven is marked, scattered without "
        "pattern, most of them black for MASK. Right: bars with intervals for the share of chosen words that "
        "become MASK, a random word, or stay: about 80, 10 and 10 percent, as asked for."
    ),
    "06_dots_95_percent": (
        "Dots with 95 percent intervals for right verdicts on held-out pairs, beside each a line for what the "
        "group's more frequent label alone scores and a dashed line for form alone: {spoken}."
    ),
    "06_bars_mean_tokens": (
        "Bars of mean tokens per text: {told}. T5 reads less than the text, since a span shrinks to one "
        "sentinel; BERT reads as much as the text holds."
    ),
    "06_probe_table_means": (
        "The probe table, means over {seeds} seeds with whiskers from the lowest to the highest run. {told}."
    ),
    "06_bert_s_states": (
        "Left: BERT's states at bank, bat and crane, projected on two principal components, filled signs for "
        "nature and hollow ones for town. Right: bars of the share of the five nearest occurrences that have "
        "the same sense, dotted line at 50 percent, black lines for what a linear head reads, hollow diamonds "
        "for the share before training: {told}."
    ),
    "06_bars_right_answers": "Bars of right answers on new sentences for two tasks, by prefix: {told}.",
    "06_probe_table_once": "The probe table once more, {seeds} seeds: {told}.",
    "07_histogram_4_000": (
        "Left: histogram of 4,000 kept lengths, about 75 draws at each value from 4 to 56, flat. Right: "
        "content length against kept length as dots; they scatter widely around the dashed line L/4, many "
        "below 3/16 of L and many above 5/16."
    ),
    "07_pretraining_loss_step": "Pretraining loss against step: one smooth fall, steep at first, to {last:.2f} nats per token.",
    "07_accuracy_dev_people": "Accuracy on dev people against the epoch of finetuning. After epoch {epochs}: {last}.",
    "07_panels_mean_accuracy": "Two panels, mean accuracy on test people with 95 % intervals over seeds. {told}.",
    "07_histogram_model_s": (
        "The model's doubt, minus its confidence, on a logarithmic scale: one sign for each person, in three rows; "
        "medians: {middles}."
    ),
    "07_risk_coverage_dev": (
        "Risk against coverage. For dev people alone it ends at {dev:.0f} %. With people in no document "
        "among them it ends at {everybody:.0f} %."
    ),
    "07_bars_accuracy_people": "Bars of accuracy on people without a training question, a dot for each world: {told}.",
    "08_change_attention_weights": (
        "Change of the attention weights when the token at position 4 is exchanged. Synthesizer: only row 4, "
        "the exchanged token's own, changes. Vanilla: row 4 changes, and later rows change too, most of all "
        "in column 4, because they compare themselves with the exchanged key."
    ),
    "08_share_right_answers": (
        "Share of right answers against training step for one layer looking up a value among 8, lines for "
        "means and dots for single seeds. After 600 steps: {last}. Chance is 12.5 %."
    ),
    "08_log_log_plots": (
        "Two log-log plots against the number of tokens. Counted: both curves run almost together and steepen "
        "towards slope 2 (the synthesizer's is {slope:.2f} between 1,024 and 2,048 tokens). Timed on this "
        "machine: {taken}."
    ),
    "08_bars_right_answers": (
        "Bars of right answers about people without a training question, with 95 % intervals and one dot for each "
        "world where there are several: {told}. The first bar and the dashed line, the most frequent town, are at "
        "{top:.0f} %."
    ),
}


def alt_text(figure: str, /, **values: object) -> str:
    """The description of a figure with the values of this run in it.

    Raises:
        CourseError: there is no such figure, or one of its values is missing.
    """
    if figure not in FIGURES:
        raise CourseError(f"There is no figure {figure}; add it to course_utils/lessons/figures.py.")
    try:
        return FIGURES[figure].format(**values)
    except KeyError as error:
        raise CourseError(
            f"The figure {figure} needs the value {error.args[0]}: alt_text({figure!r}, {error.args[0]}=…)."
        ) from None
