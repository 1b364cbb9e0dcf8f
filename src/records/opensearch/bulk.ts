import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import { backOff } from '#scheduling/back-off.js';

/** A document to write or delete, unless the index has the same or a newer version of it. */
export interface BulkItem {
  id: string;
  index: string;
  /** The organization's identifier. */
  routing: string;
  version: number;
  /** JSON; undefined to delete the document. */
  document: string | undefined;
}

/** A document that the engine refuses however often it is sent. */
export interface Refused<Item> {
  item: Item;
  reason: string;
}

/** Result of a write. All documents that it does not list as refused are in the index. */
export interface BulkResult<Item> {
  /** Number of documents that were there already. */
  there: number;
  refused: Refused<Item>[];
}

/** Called for each answered bulk request with the number of documents and its duration in milliseconds. */
export type ObserveBulk = (documents: number, milliseconds: number) => void;

/** The engine could not write now. The documents themselves are not at fault. */
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

/** Maximum size of a request in bytes, unless a single document is larger. */
const maxBytes = 5_000_000;
/** Duration in milliseconds above which requests shrink. Requests that take a quarter of it may grow. */
const slow = 2000;
const least = 50;
const most = 5000;
/** Maximum number of attempts at documents that the engine had no room for, before others continue. */
const maxAttempts = 6;

/** Error types of a document's own faults. All other errors (disks, shards, limits of the cluster) are temporary. */
const ofDocument = /pars|illegal_argument|dynamic_mapping/;

/** Writes documents in bulk requests, whose size adapts to their duration. */
export class BulkWriter {
  private size = 500;

  /** @param options non-default options of the client's requests */
  constructor(
    private readonly client: Client,
    private readonly observe: ObserveBulk = () => undefined,
    private readonly options: { maxRetries?: number } = {},
  ) {}

  /** Number of documents that is currently worth sending together. */
  get target(): number {
    return this.size;
  }

  /**
   * Writes documents. Documents that exist in the same or a newer version count as written.
   * @throws Overloaded, or an error of the client, if some are not written; all can be sent again
   */
  async write<Item extends BulkItem>(items: readonly Item[]): Promise<BulkResult<Item>> {
    const written: BulkResult<Item> = { there: 0, refused: [] };
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

  private async send<Item extends BulkItem>(items: readonly Item[], written: BulkResult<Item>): Promise<void> {
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
        // A text is sent as it is.
        body: body as never,
        timeout: '10s',
        filter_path: ['items.*.status', 'items.*.error.type', 'items.*.error.reason'],
      },
      this.options,
    );
    const { items: answers } = ((answer as unknown) ?? {}) as { items?: { index?: ItemAnswer; delete?: ItemAnswer }[] };
    if (answers?.length !== items.length) throw new Overloaded('its answer does not fit the request');
    return answers.map(({ index, delete: deleted }) => index ?? deleted!);
  }
}
