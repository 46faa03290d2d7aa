/** A Vitest reporter: a line for each broken guarantee, with the command that repeats it. */
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const SEED = process.env.TICKLAKE_TEST_SEED ?? '1';

interface Failure {
  readonly guarantee: string;
  readonly message: string;
  /** Words for `vitest run`: the whole file, or one test of it. */
  readonly selection: string;
}

const firstLine = (text = 'failed without a message') => text.split('\n', 1)[0] as string;
/** As a shell word and a pattern: special characters become `.`. */
const patternOf = (name: string) => name.replace(/[^\w ,:-]/g, '.');

/** Errors of tests, and of hooks of their file and groups. */
function failuresOf(module: TestModule, file: string): Failure[] {
  const around = [module, ...module.children.allSuites()].flatMap((each) =>
    each.errors().map(({ message }) => ({
      guarantee: each.type === 'suite' ? each.fullName : 'the file as a whole',
      message: firstLine(message),
      selection: file,
    })),
  );
  const tests = [...module.children.allTests('failed')].map((test) => {
    const name = test.fullName.replaceAll(' > ', ' ');
    return {
      guarantee: test.fullName,
      message: firstLine(test.result().errors?.[0]?.message),
      selection: `${file} -t '${patternOf(name)}'`,
    };
  });
  return [...around, ...tests];
}

export default class FailedTests implements Reporter {
  #root = '';
  #command = 'npx vitest run';

  onInit({ config, vite }: Vitest): void {
    this.#root = config.root;
    const name = relative(config.root, vite.config.configFile || '');
    if (name !== 'vitest.config.ts') this.#command += ` --config ${name}`;
    process.stdout.write(`\nSeed of all that is drawn: ${SEED} (TICKLAKE_TEST_SEED)\n`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      const file = relative(this.#root, module.moduleId);
      for (const { guarantee, message, selection } of failuresOf(module, file)) {
        process.stdout.write(
          `BROKEN: ${guarantee}\n  in ${file}: ${message}\n` +
            `  again: TICKLAKE_TEST_SEED=${SEED} ${this.#command} ${selection}\n`,
        );
      }
    }
  }
}
