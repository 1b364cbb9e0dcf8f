import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import { backOff } from '../../back-off.js';

/** A document to write or to delete, if the index has no version of it that is as new. */
export interface BulkItem {
  id: string;
  index: string;
  /** The organization. */
  routing: string;
  version: number;
  /** JSON; undefined: it is deleted. */
  document: string | undefined;
}

/** A document that the engine refuses, however often it is sent. */
export interface Refused<Item> {
  item: Item;
  reason: string;
}

/** What became of documents: all others are in the index. */
export interface Written<Item> {
  /** How many had been there. */
  there: number;
  refused: Refused<Item>[];
}

/** Told of each bulk request that was answered: how many documents, and how long it took in milliseconds. */
export type ObserveBulk = (documents: number, milliseconds: number) => void;

/** The engine could not write now; nothing about the documents is wrong. */
export class Overloaded extends Error {
  constructor(reason: string) {
    super(`The cluster cannot take documents now: ${reason}`);
    this.name = 'Overloaded';
  }
}

interface ItemAnswer {
  status: number;
  error?: { type: string; reason: string };
}

/** Bytes of one request at most, unless a single document is larger. */
const maxBytes = 5_000_000;
/** A request that takes this long is to be smaller, in milliseconds; one that takes a quarter of it may be larger. */
const slow = 2000;
const least = 50;
const most = 5000;
/** Times that what the engine had no room for is sent again before others get their turn. */
const maxAttempts = 6;

/** Faults of a document, as the engine names them. All else (disks, shards, limits of the cluster) passes. */
const ofDocument = /pars|illegal_argument|dynamic_mapping/;

/** Writes documents in bulk requests, whose size follows the time in which they are answered. */
export class BulkWriter {
  private size = 500;

  /** @param options of the client's requests, where others than usual are wanted */
  constructor(
    private readonly client: Client,
    private readonly observe: ObserveBulk = () => undefined,
    private readonly options: { maxRetries?: number } = {},
  ) {}

  /** Documents that are worth sending together now. */
  get target(): number {
    return this.size;
  }

  /**
   * Writes documents. Those that are there in this version or a newer one count as written.
   * @throws Overloaded, or an error of the client, where some are not written: all can be sent again
   */
  async write<Item extends BulkItem>(items: readonly Item[]): Promise<Written<Item>> {
    const written: Written<Item> = { there: 0, refused: [] };
    for (let start = 0; start < items.length; ) {
      const end = this.endOf(items, start);
      await this.send(items.slice(start, end), written);
      start = end;
    }
    return written;
  }

  private endOf(items: readonly BulkItem[], start: number): number {
    let end = start;
    for (let bytes = 0; end < items.length && end - start < this.size; end++) {
      bytes += items[end]!.document?.length ?? 0;
      if (bytes > maxBytes && end > start) break;
    }
    return end;
  }

  private async send<Item extends BulkItem>(items: readonly Item[], written: Written<Item>): Promise<void> {
    let open = items;
    for (let attempt = 0; ; attempt++) {
      const begun = performance.now();
      const answers = await this.request(open);
      const took = performance.now() - begun;
      this.observe(open.length, took);
      const again: Item[] = [];
      let reason = '';
      for (const [index, item] of open.entries()) {
        const { status, error } = answers[index]!;
        if (status < 300 || (status === 404 && item.document === undefined)) continue;
        if (status === 409) written.there++;
        else if (status < 500 && error !== undefined && ofDocument.test(error.type))
          written.refused.push({ item, reason: `${error.type}: ${error.reason}` });
        else {
          again.push(item);
          reason = `${error?.type}: ${error?.reason}`;
        }
      }
      this.adapt(open.length, took, again.length > 0);
      if (again.length === 0) return;
      if (attempt === maxAttempts) throw new Overloaded(reason);
      open = again;
      await delay(backOff(attempt, 1000));
    }
  }

  private adapt(sent: number, took: number, refused: boolean): void {
    if (refused || took > slow) this.size = Math.max(least, Math.floor(this.size / 2));
    else if (took < slow / 4 && sent >= this.size / 2) this.size = Math.min(most, Math.ceil(this.size * 1.25));
  }

  private async request(items: readonly BulkItem[]): Promise<ItemAnswer[]> {
    let body = '';
    for (const { id, index, routing, version, document } of items) {
      const action = document === undefined ? 'delete' : 'index';
      body += `{"${action}":{"_index":"${index}","_id":"${id}","routing":"${routing}","version":${version},"version_type":"external"}}\n`;
      if (document !== undefined) body += `${document}\n`;
    }
    const { body: answer } = await this.client.bulk(
      {
        // As text it is sent as it is.
        body: body as never,
        timeout: '10s',
        filter_path: ['items.*.status', 'items.*.error.type', 'items.*.error.reason'],
      },
      this.options,
    );
    const { items: answers } = ((answer as unknown) ?? {}) as { items?: { index?: ItemAnswer; delete?: ItemAnswer }[] };
    if (answers?.length !== items.length) throw new Overloaded('it answers something else than what was asked');
    return answers.map(({ index, delete: deleted }) => index ?? deleted!);
  }
}
