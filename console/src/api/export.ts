import { saveBlob } from '../format/csv.js';
import { GraphError, refusalIn, send } from './graph.js';
import { authorization, organizationId } from './session.js';

/**
 * Downloads an export of an application as CSV, or of the organization when no application is given, and saves it on
 * the user's machine. The token is sent in a header, so the browser cannot download the file by itself; it buffers the
 * answer on disk.
 * @throws GraphError when the service refuses the export or cuts it off.
 */
export async function saveExport(
  applicationId: string | undefined,
  parameters: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const of =
    applicationId === undefined
      ? `organizations/${organizationId.value}`
      : `applications/${organizationId.value}/${encodeURIComponent(applicationId)}`;
  const address = new URL(`/ddp/v1/${of}/export`, location.origin);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) address.searchParams.set(name, value);
  const response = await send(address, { headers: authorization(), signal });
  if (!response.ok) throw await refusalIn(response);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const cutOff = 'The download was cut off before its end. Try again, or ask for less.';
  const file = await response.blob().catch(() => Promise.reject(new GraphError(cutOff, 'UNREACHABLE', requestId)));
  // Spreadsheets recognize UTF-8 by this byte order mark.
  saveBlob(`${parameters['of'] ?? 'records'}.csv`, new Blob(['\uFEFF', file], { type: 'text/csv;charset=utf-8' }));
}
