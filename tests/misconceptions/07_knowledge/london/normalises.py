# expect: reject
# hint: To the letter: é in one sign and in two are different. Normalise nothing.
def london_baseline(train, dev):
    town = Counter(q.answer for q in train).most_common(1)[0][0]
    return town, sum(__import__("unicodedata").normalize("NFC", q.answer) == __import__("unicodedata").normalize("NFC", town) for q in dev) / len(dev)
