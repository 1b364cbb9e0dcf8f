// This import comes first, because a test file may import a decorated class before anything that loads it.
import 'reflect-metadata';
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type Definers, useDefiners } from './globals.js';

/** The methods of Jest's runtime that the runner replaces. */
interface Runtime {
  setGlobalsForRuntime(definers: Definers): void;
  unstable_shouldLoadAsEsm(path: string): boolean;
  unstable_importModule(path: string): Promise<void>;
}

/** Runs one test file and returns its results, as Jest's option `testRunner` expects. */
type Run = (
  globalConfig: unknown,
  config: { readonly globals: object },
  environment: unknown,
  runtime: Runtime,
  path: string,
  send: unknown,
) => Promise<unknown>;

const { default: runWithCircus } = createRequire(import.meta.url)('jest-circus/runner') as { default: Run };
const globals = new URL('./globals.js', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context),
});

let files = 0;

/**
 * Ends a worker without freeing its heap. Measured: a process of a gigabyte needs 1.0 to 1.3 s to end by itself on a busy
 * machine, and 0.5 to 0.7 s this way. Jest reports workers that need more than 0.5 s.
 */
const leave = (): never => process.exit();
const isWorker = process.argv[1]?.endsWith('processChild.js') === true;

/**
 * Runs a test file with jest-circus, but loads it as Node loads any module, outside of Jest's module registry. The
 * registry loads the service and its libraries again for each of 200 files, which takes a second or two of processor
 * time each time; a worker loads them once. In return, the files of one worker share modules and process-wide state, so
 * a test restores what it changes there.
 */
const run: Run = async (globalConfig, config, environment, runtime, path, send) => {
  Object.assign(globalThis, { recordIndex: undefined, recordBlocks: undefined }, config.globals);
  runtime.setGlobalsForRuntime = useDefiners;
  runtime.unstable_shouldLoadAsEsm = () => true;
  runtime.unstable_importModule = async (file) => {
    files += 1;
    // The unique query makes Node evaluate the file again when a worker runs it for two projects.
    await import(`${pathToFileURL(file).href}?run=${files}`);
  };
  const results = await runWithCircus(globalConfig, config, environment, runtime, path, send);
  // It runs after the listeners that the file has added.
  if (isWorker) process.off('exit', leave).on('exit', leave);
  return results;
};

export default run;
