import { type Fault, type Graph, type GraphOperation, RequestRefusal } from './client.js';
import type { Lease } from './lease.js';
import type { Token } from './names.js';
import { lineOf, type Step } from './plan.js';

/** Limits of one call: its items, and their characters as JSON, which stay below the size limit of a request. */
const atOnce = { items: 1000, characters: 250_000 };

/** Number of removals in one transaction, which has to end within the timeout of a request on a busy machine. */
const removalsAtOnce = 40;

/** One item of a call, and the step that it carries out. */
export interface PutItem {
  step: Step;
  item: object;
}

/** A step, and the operation that carries it out. */
export interface Single {
  step: Step;
  operation: GraphOperation;
}

/**
 * A mutation that puts items: its name, the argument for the list, the type of an item, and further arguments with
 * their types.
 */
export interface PutCall {
  name: string;
  list: string;
  type: string;
  more?: { name: string; type: string; value: unknown };
}

interface Answer {
  results: {
    index: number;
    id: string | null;
    error: { message: string; errors: Fault[] } | null;
    warnings: string[] | null;
  }[];
}

/** Carries out steps, or asks for their faults if there is no lease. Notes the steps that failed. */
export class Calls {
  readonly faults: string[] = [];
  /** Each once: a thing whose key is not free yet is put twice. */
  readonly warnings = new Set<string>();
  readonly failed = new Set<Step>();

  constructor(
    readonly graph: Graph,
    readonly organizationId: string,
    private readonly lease: Lease | undefined,
  ) {}

  get isDry(): boolean {
    return this.lease === undefined;
  }

  fail(step: Step, message: string, faults: readonly Fault[] = []): void {
    this.failed.add(step);
    const places = faults.map(({ path, message: what }) => `(${placeOf(step, path)}: ${what})`);
    this.faults.push(`${lineOf(step)}: ${[message, ...places].join(' ')}`);
  }

  /** Puts items. Adds the identifier of each stored item to `made`, by the step's token. */
  async put(call: PutCall, items: readonly PutItem[], made?: Map<Token, string>): Promise<void> {
    for (const some of callsOf(items)) await this.putOrSplit(call, some, made);
  }

  /** Runs operations, some in one transaction. One that fails is noted, and the others are done without it. */
  async runAll(all: readonly Single[]): Promise<void> {
    for (let from = 0; from < all.length; from += removalsAtOnce) {
      let some = all.slice(from, from + removalsAtOnce);
      while (some.length > 0) {
        try {
          await this.run(some.map(({ operation }) => operation));
          break;
        } catch (error) {
          if (!(error instanceof RequestRefusal)) throw error;
          const { index } = error;
          const failed = index === undefined ? some : some.slice(index, index + 1);
          for (const { step } of failed) this.fail(step, error.message, error.faults);
          some = some.filter((each) => !failed.includes(each));
        }
      }
    }
  }

  /** Runs operations in one transaction, which changes nothing if the lease is lost. */
  private async run(operations: readonly GraphOperation[]): Promise<unknown[]> {
    if (this.lease === undefined)
      return Promise.all(operations.map(({ query, variables }) => this.graph.ask(query, variables)));
    try {
      return (await this.graph.askAtomic([this.lease.renewal, ...operations])).slice(1);
    } catch (error) {
      if (!(error instanceof RequestRefusal) || error.index === undefined) throw error;
      if (error.index === 0) throw new Error(`${error.message} The rest of the file is not applied.`, { cause: error });
      throw new RequestRefusal(error.message, error.code, error.faults, error.index - 1);
    }
  }

  /** Puts items in one call. A value of another type refuses the whole call, so the halves are put by themselves. */
  private async putOrSplit(call: PutCall, items: readonly PutItem[], made?: Map<Token, string>): Promise<void> {
    try {
      await this.putSome(call, items, made);
    } catch (error) {
      if (!(error instanceof RequestRefusal)) throw error;
      if (error.code !== 'VALIDATION_FAILED' || items.length === 1) {
        for (const { step, item } of items) this.fail(step, ...explained(error, item));
        return;
      }
      const middle = Math.ceil(items.length / 2);
      await this.putOrSplit(call, items.slice(0, middle), made);
      await this.putOrSplit(call, items.slice(middle), made);
    }
  }

  private async putSome({ name, list, type, more }: PutCall, items: readonly PutItem[], made?: Map<Token, string>) {
    const [declared, passed] = more === undefined ? ['', ''] : [`, $more: ${more.type}`, `, ${more.name}: $more`];
    const variables = {
      o: this.organizationId,
      dry: this.isDry,
      items: items.map(({ item }) => item),
      ...(more && { more: more.value }),
    };
    const query = `mutation ($o: ID!, $dry: Boolean, $items: [${type}!]!${declared}) {
      answer: ${name}(organizationId: $o, dryRun: $dry, ${list}: $items${passed}) {
        results { index id error { message errors { path message } } warnings } } }`;
    const [data] = await this.run([{ query, variables }]);
    for (const { index, id, error, warnings } of (data as { answer: Answer }).answer.results) {
      const { step } = items[index]!;
      for (const warning of warnings ?? []) this.warnings.add(`${lineOf(step)}: ${warning}`);
      if (error !== null) this.fail(step, error.message, error.errors);
      else if (id !== null) made?.set(step.token, id);
    }
  }
}

/** Returns the place of a fault in the document. The path of a dashboard's fault begins with its own document. */
const placeOf = ({ kind, place }: Step, path: string): string => `${place}${kind === 'dashboard' ? ': ' : '.'}${path}`;

/**
 * Returns the refusal of a single item as its message and faults. For a value of another type, the service names only
 * the field and the value, so the place is found in the item. An absent field has its name only.
 */
function explained({ message, faults }: RequestRefusal, item: object): [message: string, faults: readonly Fault[]] {
  const found = /^Variable "\$(\w+)" got invalid value (.*?)(?: at "[^"]*")?; (.*)$/s.exec(message);
  if (found === null) return [message, faults];
  const [, field, value, what] = found;
  const leaf = leavesOf(item).find((each) => each.field === field && JSON.stringify(each.value) === value);
  return ['A value is wrong.', [{ path: leaf?.path ?? field!, message: what! }]];
}

interface Leaf {
  path: string;
  /** Name of the innermost field. */
  field: string;
  value: unknown;
}

const leavesOf = (value: unknown, path = '', field = ''): Leaf[] =>
  typeof value !== 'object' || value === null
    ? [{ path, field, value }]
    : Object.entries(value).flatMap(([name, each]) =>
        leavesOf(each, path === '' ? name : `${path}.${name}`, Array.isArray(value) ? field : name),
      );

/** Whether one call can put all items. */
export const isOneCall = (items: readonly PutItem[]): boolean => callsOf(items).length <= 1;

/** Splits items into calls within the limits. */
function callsOf(items: readonly PutItem[]): PutItem[][] {
  const calls: PutItem[][] = [];
  let characters = 0;
  for (const each of items) {
    const length = JSON.stringify(each.item).length;
    const last = calls.at(-1);
    if (last === undefined || last.length >= atOnce.items || characters + length > atOnce.characters) {
      calls.push([each]);
      characters = length;
    } else {
      last.push(each);
      characters += length;
    }
  }
  return calls;
}
