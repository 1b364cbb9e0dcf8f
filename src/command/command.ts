import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../duration.js';

/** What a command answers: one JSON value with `--json`, else a line for each field. */
export type CommandAnswer = Readonly<Record<string, string | boolean | readonly string[] | null | undefined>>;

/** What every command takes. */
export interface OutputOptions {
  json?: boolean;
}

/** A word that commands share: `ddp token`. */
export const addGroup = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description);

/** A command, which answers people or programs. */
export const addCommand = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description).option('--json', 'print exactly one JSON value');

/** Reads an argument such as `30d` as milliseconds. */
export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (!milliseconds)
    throw new InvalidArgumentError('It must be a number and s, m, h or d, such as 30d, within a century.');
  return milliseconds;
}

/** Prints what a command answers on stdout; logs go to stderr. */
export function answer({ json = false }: OutputOptions, value: CommandAnswer): void {
  const lines = Object.entries(value).map(
    ([name, field]) => `${name}: ${typeof field === 'object' ? field?.join(', ') || 'none' : field}`,
  );
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
}
