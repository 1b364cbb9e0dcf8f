import { createRequire } from 'node:module';
import { durations } from './durations.js';

/** A test file, with its last duration in milliseconds if Jest's cache has it. */
interface TestFile {
  path: string;
  duration?: number;
}

interface Sequencer {
  sort(tests: TestFile[]): TestFile[] | Promise<TestFile[]>;
}

const { default: JestSequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as {
  default: new (options: unknown) => Sequencer;
};

/**
 * Starts the longest files first, so that a long file does not keep one worker busy when the others have finished. Jest
 * orders files by the durations in its cache; a fresh clone has none, and there Jest orders by file size.
 */
export default class LongestFirst extends JestSequencer {
  override async sort(tests: TestFile[]): Promise<TestFile[]> {
    // Jest sets `duration` from its cache. Files without any duration keep Jest's order among themselves.
    const sorted = await super.sort(tests);
    return sorted.sort((one, other) => milliseconds(other) - milliseconds(one));
  }
}

const milliseconds = ({ path, duration }: TestFile): number =>
  duration ?? 1000 * (durations[/\/dist\/test\/(.+)\.test\.js$/.exec(path)?.[1] ?? ''] ?? 0);
