"""Models on GPUs for Atelier's tools.

The way of a request, and where each part lives:

    api        HTTP: who may ask, how much, for what; long jobs
    tasks      which tasks there are: what goes in, which parameters, what comes out
    registry   which models there are (models.yaml), and which one does a task by default
    cluster    Ray Serve: the replicas, and the one that a request is sent to
    worker     one replica: reads the request, has it done, writes the answer
    engine     a device: its memory as a budget, its models, batches, cancellation
    weights    where the files of a model come from, and whether they are whole
    families   one file for each family of models: how they are loaded and run

What is promised to who asks stands in ``api``; nothing is imported that is heavy until a
model is loaded.
"""
