"""Ray: remote functions, and actors, which keep what they have compiled as long as they live."""

import ray
from common import report, task


@ray.remote
class Relaxer:
    """A worker with a state of its own."""

    def __init__(self):
        self.done = 0

    def run(self, seed):
        self.done += 1
        return task(seed)


def main():
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    remote = ray.remote(task)
    assert report("the first task", [ray.get(remote.remote(0))]) == 1
    assert report("tasks", ray.get([remote.remote(k) for k in range(24)])) == 0
    actors = [Relaxer.remote() for _ in range(3)]
    assert report("actors", ray.get([actor.run.remote(k) for k in range(8) for actor in actors])) == 0
    ray.shutdown()


if __name__ == "__main__":
    main()
