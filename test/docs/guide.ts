import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { createPool } from '#database/pools.js';
import { createFirstOrganization, type FirstOrganization } from '#operator/first-organization.js';
import { fine, type Receiver, startReceiver } from '../hooks/receiver.js';
import { useService } from '../support/service.js';
import { type Block, blocksOf, fillIn, missingLines, parsePrinted } from './page.js';

/** Runs a block and returns what it prints. */
export type Run = (block: Block) => Promise<string>;

/** Options for the parts of a page that are neither commands nor their answers. */
export interface GuideOptions {
  /** Blocks that the test skips: the key is a part of the block's text, the value is the reason. */
  readonly skipped?: Readonly<Record<string, string>>;
  /** Runners of the page's own kinds of blocks, by language and first word (`json search`). */
  readonly runs?: Readonly<Record<string, Run>>;
}

/** The service on which a page is tried, as `npm start` creates it on an empty database. */
export interface Guide {
  readonly url: string;
  readonly first: FirstOrganization;
  /** The receiver at `RECEIVER`. */
  readonly receiver: Receiver;
  /** Shell variables, and identifiers from printed answers. */
  readonly variables: Map<string, string>;
  /** Runs text with bash. */
  readonly shell: (text: string) => Promise<string>;
}

/** The address of the service in the pages. */
const documented = 'http://127.0.0.1:4000';

/** Packages that are installed under another name here. */
const packages: Readonly<Record<string, string>> = { "'@elastic/elasticsearch'": "'elasticsearch-8'" };

/**
 * Runs the code blocks of a page in order. When the page prints an answer after a command, the answer must match the
 * command's output.
 */
export function testGuide(path: string, { skipped = {}, runs = {} }: GuideOptions = {}, guide = useGuide()): void {
  const blocks = blocksOf(path).filter(({ text }) => !Object.keys(skipped).some((part) => text.includes(part)));
  const languages: Readonly<Record<string, Run>> = {
    sh: ({ text }) => guide.shell(text),
    js: ({ text }) => runModule(guide, text),
    graphql: ({ text }) => sendOperation(guide, text),
    ...runs,
  };
  const runOf = ({ language, words }: Block) => languages[[language, ...words.slice(0, 1)].join(' ')];
  describe(path, () => {
    it('contains every block that the test skips', () => {
      const texts = blocksOf(path).map(({ text }) => text);
      for (const part of Object.keys(skipped)) expect(texts).toContainEqual(expect.stringContaining(part));
    });
    for (const [index, block] of blocks.entries()) {
      const run = runOf(block);
      if (run === undefined) {
        if (index > 0 && isAnswer(block) && runOf(blocks[index - 1]!) !== undefined) continue;
        it(`has a command or an answer at line ${block.line}`, () =>
          expect(block).toBe('a command, or what one prints'));
        continue;
      }
      const next = blocks[index + 1];
      const printed = next !== undefined && isAnswer(next) && runOf(next) === undefined ? next : undefined;
      it(`runs the block at line ${block.line}: ${block.text.split('\n', 1)[0]}`, async () => {
        const answer = await run(block);
        if (printed !== undefined) compare(printed, answer, guide);
      });
    }
  });
}

const isAnswer = ({ language, words }: Block) => ['json', 'text'].includes(language) && words.length === 0;

/** Throws when an answer differs from the one that the page prints. */
export function compare({ language, text }: Pick<Block, 'language' | 'text'>, answer: string, guide: Guide): void {
  const printed = text.replaceAll(documented, guide.url);
  if (language === 'text') {
    if (missingLines(printed, answer).length > 0) expect(answer).toBe(printed);
    return;
  }
  const value: unknown = JSON.parse(answer);
  expect(value).toEqual(fillIn(parsePrinted(printed), value, guide.variables));
}

/** Starts a service on a new database as `npm start` does, before the tests of the file. */
export function useGuide(): Guide {
  const { hooks } = readConfig({});
  const config = { corsOrigins: ['https://app.example.com'], hooks: { ...hooks, allowCidrs: ['127.0.0.0/8'] } };
  const service = useService({ config });
  const variables = new Map<string, string>();
  let folder: string;
  let receiver: Receiver;
  let first: FirstOrganization | undefined;
  beforeAll(async () => {
    const pool = createPool(service.databaseUrl, { max: 1 });
    first = await createFirstOrganization(pool, new Date());
    await pool.end();
    receiver = await startReceiver(fine);
    const { id, token, applicationId } = first!;
    const given = { ORIGIN: service.url, TOKEN: token, ORGANIZATION: id, APPLICATION: applicationId };
    const all = { ...given, RECEIVER: receiver.url('/records') };
    for (const [name, value] of Object.entries(all)) variables.set(name, value);
    // A folder inside the project, so that programs find their packages.
    folder = await mkdtemp(join(import.meta.dirname, 'guide-'));
    await writeFile(join(folder, 'shell'), '');
  });
  afterAll(async () => {
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get url() {
      return service.url;
    },
    get first() {
      return first!;
    },
    get receiver() {
      return receiver;
    },
    variables,
    async shell(text) {
      const script = text.replaceAll(documented, service.url);
      const state = join(folder, 'shell');
      // Variables set by one block remain for the next, as in an open shell.
      const whole = `. ${state}\nset -a\n${script}\nset +a\n{ export -p; declare -f; } > ${state}`;
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', whole], {
        env: {
          ...Object.fromEntries(variables),
          HOME: folder,
          LOG_LEVEL: 'warn',
          DATABASE_URL: service.databaseUrl,
          PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        },
        timeout: 50_000,
      });
      for (const [, name, value] of (await readFile(state, 'utf8')).matchAll(/^declare -x ([A-Z]+)="(.*)"$/gm)) {
        variables.set(name!, value!);
      }
      return stdout;
    },
  };
}

const run = promisify(execFile);

/** Runs a program as the page shows it, from a file inside the project. */
async function runModule({ shell }: Guide, text: string): Promise<string> {
  let program = text;
  for (const [name, installed] of Object.entries(packages)) program = program.replaceAll(name, installed);
  const folder = await mkdtemp(join(import.meta.dirname, 'module-'));
  try {
    await writeFile(join(folder, 'example.mjs'), program);
    return await shell(`node ${join(folder, 'example.mjs')}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Sends an operation. Its variables are the identifiers that the page has shown so far (`$PRODUCT` becomes
 * `productId`).
 */
async function sendOperation({ url, variables }: Guide, query: string): Promise<string> {
  const values = [...variables].map(([name, value]): [string, string] => [`${name.toLowerCase()}Id`, value]);
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${variables.get('TOKEN')!}` },
    body: JSON.stringify({
      query,
      variables: Object.fromEntries(values.filter(([name]) => query.includes(`$${name}`))),
    }),
  });
  const answer = (await response.json()) as { errors?: unknown };
  expect(answer).not.toHaveProperty('errors');
  return JSON.stringify(answer);
}
