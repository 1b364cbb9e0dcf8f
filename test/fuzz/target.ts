import type { Arbitrary } from 'fast-check';
import { request } from 'undici';
import type { Addresses } from './service.js';

/** An organization with an application and a device, and their tokens and cursors. */
export interface FuzzTarget extends Addresses {
  organizationId: string;
  applicationId: string;
  serial: string;
  token: string;
  deviceToken: string;
  /** Cursors as the service writes them. */
  scrollId: string;
  pitId: string;
  endCursor: string;
  /** A hook, and the bytes that its receiver answers with. */
  hookId: string;
  answer: Buffer;
}

/** A kind of input that one parser reads. */
export interface Family {
  name: string;
  /** Number of cases per ten cases of another family. Some families start a process or wait for a job. */
  share?: number;
  /** Sends one case; returns the status, or undefined for connections without one. */
  cases: Arbitrary<(target: FuzzTarget) => Promise<number | undefined>>;
}

/** Options of a call. */
export interface Sent {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: string | Buffer | object;
  headers?: Record<string, string>;
}

/** Calls the service; returns status and text. */
export const call = async (target: FuzzTarget, path: string, { method = 'GET', body, headers = {} }: Sent = {}) => {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const answer = await request(`${target.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json', ...headers },
    body: body === undefined ? null : isRaw ? body : JSON.stringify(body),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
};
/** Calls the service; returns the status. */
export const statusOf = async (...given: Parameters<typeof call>) => (await call(...given)).status;

export const organization = ({ organizationId }: FuzzTarget) => `/ddp/v1/organizations/${organizationId}`;
export const application = ({ organizationId, applicationId }: FuzzTarget) =>
  `/ddp/v1/applications/${organizationId}/${applicationId}`;
export const engine = (target: FuzzTarget) => `${application(target)}/elasticsearch`;
