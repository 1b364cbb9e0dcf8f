import { type GraphQLSchema, isSpecifiedScalarType, printType } from 'graphql';
import { z } from 'zod';
import { input, type Tool, tool } from '../tool.js';

/** A part of the schema that can be found: a field of `Query`, or a type. */
interface Entry {
  readonly name: string;
  readonly sdl: string;
  /** Words of the name and of everything else, in lower case. */
  readonly names: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

const description =
  'Finds the parts of the GraphQL schema that a question is about, for `graphql_query`: fields of Query with their arguments, and types. Ask with words (`episodes of a device`) or names (`Device`, `Query.devicesConnection`). The whole schema is never answered.';

/** Creates the tool that finds parts of the schema. Its index is made at the first call. */
export function createSchemaSearch(schema: GraphQLSchema): Tool {
  let index: Index | undefined;
  return tool({
    name: 'schema_search',
    title: 'Search the schema',
    description,
    input: input({
      question: z.string().min(1).max(500).describe('Words or names.'),
      limit: z.int().min(1).max(20).default(6).describe('Maximum number of parts in the answer, 1 to 20.'),
    }),
    list: 'parts',
    output: {
      parts: z.array(z.object({ name: z.string(), sdl: z.string().describe('The part in the schema language.') })),
    },
    isUntrusted: false,
    async run({ question, limit }, { position = '0' }) {
      index ??= indexOf(entriesOf(schema));
      const skip = Number(position);
      const ranked = rank(index, question).slice(0, mostParts);
      const some = ranked.slice(skip, skip + limit).map(({ name, sdl }) => ({ name, sdl }));
      return {
        items: some,
        positions: some.map((_part, at) => `${skip + at + 1}`),
        next: skip + limit < ranked.length ? `${skip + limit}` : undefined,
      };
    },
  });
}

/** The entries, and those that hold a word. */
interface Index {
  readonly entries: readonly Entry[];
  readonly byWord: ReadonlyMap<string, readonly Entry[]>;
}

function indexOf(entries: readonly Entry[]): Index {
  const byWord = new Map<string, Entry[]>();
  for (const entry of entries) {
    for (const word of new Set([...entry.words, ...entry.names])) {
      const found = byWord.get(word);
      if (found === undefined) byWord.set(word, [entry]);
      else found.push(entry);
    }
  }
  return { entries, byWord };
}

/** Maximum number of parts that one question leads to. */
const mostParts = 60;

function entriesOf(schema: GraphQLSchema): Entry[] {
  const query = schema.getQueryType()!;
  const changes: ReadonlySet<unknown> = new Set([schema.getMutationType(), schema.getSubscriptionType()]);
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => type !== query && !changes.has(type) && !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  );
  return [...fieldsOf(schema), ...types.map((type) => entry(type.name, printType(type)))];
}

/** Splits the printed type `Query` into its fields. */
function fieldsOf(schema: GraphQLSchema): Entry[] {
  const fields = Object.values(schema.getQueryType()!.getFields());
  return fields.map(({ name, description: about, args, type }) => {
    const list = args.map((arg) => `  # ${arg.description ?? ''}\n  ${arg.name}: ${String(arg.type)}`).join('\n');
    return entry(`Query.${name}`, `# ${about ?? ''}\nquery field ${name}${list && `(\n${list}\n)`}: ${String(type)}`);
  });
}

const entry = (name: string, sdl: string): Entry => ({
  name,
  sdl,
  names: new Set(wordsOf(name)),
  words: new Set(wordsOf(sdl)),
});

/** Splits a text into words: `openEpisodeCount` has three. A plural counts as its singular. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word.length > 1)
    .map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));

/** Returns the entries that share words with the question. Rare words and words of names count more. */
function rank({ entries, byWord }: Index, question: string): Entry[] {
  const exact = new Set(question.split(/[^\w.]+/));
  const scores = new Map<Entry, number>();
  const add = (entry: Entry, score: number) => scores.set(entry, (scores.get(entry) ?? 0) + score);
  for (const word of new Set(wordsOf(question))) {
    const found = byWord.get(word) ?? [];
    const weight = Math.log(1 + entries.length / found.length);
    for (const entry of found) add(entry, entry.names.has(word) ? 3 * weight : weight);
  }
  for (const entry of entries) if (exact.has(entry.name)) add(entry, 1000);
  // Of two parts with the same words, the one with the shorter name is meant.
  return entries
    .map((each) => ({ each, score: (scores.get(each) ?? 0) - each.names.size / 10 }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ each }) => each);
}
