# Python reads this when it starts, where a test asks for it: it notes how long the program would
# wait, and does not wait.
import os
import time

if "WAITS_FILE" in os.environ:

    def note_wait(seconds):
        with open(os.environ["WAITS_FILE"], "a") as file:
            file.write(f"{seconds}\n")

    time.sleep = note_wait
