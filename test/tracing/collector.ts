import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fields of an OTLP span in JSON that tests read. */
export interface ReceivedSpan {
  name: string;
  /** 2 is a server span, 3 a client span. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Readonly<Record<string, unknown>>;
  links: readonly { traceId: string }[];
}

/** A server on loopback that accepts spans by OTLP over HTTP, like an OpenTelemetry collector. */
export interface Collector {
  url: string;
  spans: readonly ReceivedSpan[];
  /** Resolves with all spans when `reached` holds for them. */
  until(reached: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

interface Exported {
  resourceSpans: {
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: { key: string; value: Record<string, unknown> }[] })[];
    }[];
  }[];
}

/** Starts a collector. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const watchers = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Exported;
      for (const { scopeSpans } of resourceSpans)
        for (const { spans: some } of scopeSpans)
          for (const { attributes, links = [], ...span } of some) {
            const named = attributes.map(({ key, value }) => [key, Object.values(value)[0]]);
            spans.push({ ...span, links, attributes: Object.fromEntries(named) as ReceivedSpan['attributes'] });
          }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      for (const watcher of watchers) watcher();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    until: (reached) =>
      new Promise((resolve) => {
        const look = () => {
          if (!reached(spans)) return;
          watchers.delete(look);
          resolve(spans);
        };
        watchers.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
