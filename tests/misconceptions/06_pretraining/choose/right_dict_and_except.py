# expect: accept
TASKS = dict.fromkeys(["sentiment", "retrieval", "tag words"], "encoder") | {"story": "decoder"}
TASKS |= dict.fromkeys(["summarise", "translate"], "encoder" + "-" + "decoder")


def choose(task):
    try:
        return TASKS[task]
    except KeyError as error:
        raise ValueError(f"{task}: not in the table") from error
