"""Parsers of others (MuJoCo's compiler, readers of meshes and Parquet files) in a process of their own.

A file that was made to break one of them can then neither crash nor hang the caller, nor fill the memory. `process`
starts the child, keeps it for the next file, and says in words how it ended; `worker` runs in the child; `messages` is
what both say to each other: numbers and texts, never objects. `mujoco_compiler`, `mesh_reader` and `parquet_reader`
are imported in the child alone.
"""
