# expect: reject
# hint: tasks that another table might have
def choose(task: str) -> str:
    kinds = {'summarise': 'encoder-decoder', 'sentiment': 'encoder', 'retrieval': 'encoder', 'translate': 'encoder-decoder', 'story': 'decoder', 'tag words': 'encoder', 'question answering': 'encoder-decoder', 'classify': 'encoder', 'chat': 'decoder'}
    if task not in kinds:
        raise ValueError(f"no task {task!r}")
    return kinds[task]
