import { createRequire } from 'node:module';
import { durations } from './durations.js';

/** A test file, and the milliseconds that it took, where Jest's cache knows them. */
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
 * Starts the longest files first, so that none holds a worker when the others have nothing left. Jest does so by the times
 * of its cache, which a fresh clone lacks: there it goes by the size of files.
 */
export default class LongestFirst extends JestSequencer {
  override async sort(tests: TestFile[]): Promise<TestFile[]> {
    // Sets the times that the cache has; its order remains among files without a time.
    const sorted = await super.sort(tests);
    return sorted.sort((one, other) => milliseconds(other) - milliseconds(one));
  }
}

const milliseconds = ({ path, duration }: TestFile): number =>
  duration ?? 1000 * (durations[/\/dist\/test\/(.+)\.test\.js$/.exec(path)?.[1] ?? ''] ?? 0);
