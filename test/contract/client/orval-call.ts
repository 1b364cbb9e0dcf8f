interface Request {
  url: string;
  method: string;
  headers?: Record<string, string>;
  params?: object;
  data?: unknown;
}

/** How orval's client makes its calls: the mutator of its settings. */
export async function call<Answer>(
  { url, method, headers, params, data }: Request,
  { baseUrl = '', token = '' }: { baseUrl?: string; token?: string } = {},
): Promise<Answer> {
  const query = new URLSearchParams(params as Record<string, string> | undefined);
  const sent = new Headers(headers);
  sent.set('content-type', 'application/json');
  sent.set('authorization', `Bearer ${token}`);
  const response = await fetch(`${baseUrl}${url}?${query}`, {
    method,
    headers: sent,
    ...(data !== undefined && { body: JSON.stringify(data) }),
  });
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}`);
  return (await response.json()) as Answer;
}
