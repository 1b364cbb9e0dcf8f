import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Actor } from '../support/actor.js';

/** Eras of the protocol: without sessions since 2026-07-28, or with the handshake of the years before. */
export type Era = 'modern' | 'legacy';

/** The answer of a tool, in both of its forms. */
export interface ToolAnswer {
  isError: boolean;
  data: Record<string, any>;
  text: string;
  bytes: number;
}

/** A client of the official library, connected as an assistant connects. */
export interface Assistant {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** Follows the cursors of a tool to the end. Returns the answers. */
  callAll(name: string, args?: Record<string, unknown>): Promise<ToolAnswer[]>;
}

/** Connects a client with an actor's token. The caller closes it. */
export async function connectAssistant(url: string, { token }: Pick<Actor, 'token'>, era: Era): Promise<Assistant> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> => {
    const result = await client.callTool({ name, arguments: args });
    const [content] = result.content as { text: string }[];
    return {
      isError: result.isError === true,
      data: result.structuredContent as Record<string, any>,
      text: content!.text,
      bytes: Buffer.byteLength(JSON.stringify(result)),
    };
  };
  return {
    client,
    call,
    async callAll(name, args = {}) {
      const answers = [await call(name, args)];
      for (;;) {
        const { cursor } = answers.at(-1)!.data;
        if (cursor === undefined) return answers;
        answers.push(await call(name, { ...args, cursor }));
      }
    },
  };
}

/** Returns the message of an answer: older clients get it as an event of a stream that ends. */
export function messageOf(text: string): any {
  const [, data] = /^data: (.*)$/m.exec(text) ?? [undefined, text];
  return JSON.parse(data!);
}
