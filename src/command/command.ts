import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '#config/duration.js';

/** The output of a command: one JSON value with `--json`, otherwise one line per field. */
export type CommandAnswer = Readonly<Record<string, string | boolean | readonly string[] | null | undefined>>;

export interface OutputOptions {
  json?: boolean;
}

/** Adds a group of commands, such as `ddp token`. */
export const addGroup = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description);

/** Adds a command with output for people or programs. */
export const addCommand = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description).option('--json', 'print exactly one JSON value');

/** Parses an argument such as `30d` into milliseconds. */
export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (!milliseconds)
    throw new InvalidArgumentError(
      'It must be a number with the unit s, m, h or d, such as 30d, and at most a century.',
    );
  return milliseconds;
}

/** Prints the output of a command on stdout. Logs go to stderr. */
export function answer({ json = false }: OutputOptions, value: CommandAnswer): void {
  const lines = Object.entries(value).map(
    ([name, field]) => `${name}: ${typeof field === 'object' ? field?.join(', ') || 'none' : field}`,
  );
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
}
