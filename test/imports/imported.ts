import type { Extras } from '../support/client.js';
import type { Tenant } from '../support/tenant.js';

/** An import as REST shows it. */
export interface FileImport {
  id: string;
  kind: string;
  state: string;
  bytes: number;
  lines: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  faultCount: number;
  faults: { line: number; column?: number; field?: string; message: string }[];
  ignoredCount?: number;
  ignored: { field: string; count: number; line: number; message: string }[];
  job?: { state: string; done: number; total?: number; changed: number; error?: string };
}

/** Picks the line counts of an import. */
export const counts = ({ lines, created, updated, unchanged, rejected, faultCount }: FileImport) => ({
  lines,
  created,
  updated,
  unchanged,
  rejected,
  faultCount,
});

const csv = { 'content-type': 'text/csv' };

/** Sends files of a tenant, and waits for their imports. */
export const importing = (tenant: Pick<Tenant, 'id' | 'owner'>) => {
  const at = `/organizations/${tenant.id}/imports`;
  const over = async ({ id, ...begun }: FileImport): Promise<FileImport> => {
    for (let now: FileImport = { id, ...begun }; ; now = (await tenant.owner.get<FileImport>(`${at}/${id}`)).body)
      if (now.state !== 'checking' && now.state !== 'applying') return now;
  };
  const send = (path: string, body: Extras['body'], headers: Extras['headers'] = csv) =>
    tenant.owner.request<FileImport>('POST', `${at}${path}`, { headers, body });
  const sendWell = async (path: string, body: Extras['body'], headers?: Extras['headers']) => {
    const answer = await send(path, body, headers);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    at,
    send,
    over,
    /** Waits until the file is imported, or its dry run is over. */
    async whole(path: string, body: Extras['body'], headers?: Extras['headers']): Promise<FileImport> {
      return over(await sendWell(path, body, headers));
    },
    async apply(id: string): Promise<FileImport> {
      const { status, body } = await tenant.owner.post<FileImport>(`${at}/${id}/apply`);
      if (status !== 200) throw new Error(`Applying answered ${status}: ${JSON.stringify(body)}`);
      return over(body);
    },
  };
};
