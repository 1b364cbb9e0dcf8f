import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The result of a command. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** Starts `ddp` in a separate process with only these settings. */
export const startCommand = (args: readonly string[], settings: Readonly<Record<string, string>>): ChildProcess =>
  spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', WORKERS: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Runs `ddp` to its end. */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const child = startCommand(args, settings);
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    outcome.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    outcome.stderr += text;
  });
  outcome.code = await ended(child);
  return outcome;
}

/** Resolves with the exit code once the process has ended; null when a signal ended it. */
export const ended = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });

/** Runs a line as a person would paste it into a shell, and returns its output, parsed as JSON. */
export async function shell(line: string, variables: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const env = { PATH: process.env['PATH'], ...variables };
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { env });
  return stdout === '' ? undefined : (JSON.parse(stdout) as unknown);
}
