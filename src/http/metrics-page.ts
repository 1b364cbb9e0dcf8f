import { createHash, timingSafeEqual } from 'node:crypto';
import { type Request, type RequestHandler, Router } from 'express';
import ipaddr from 'ipaddr.js';
import { forbidden, unauthenticated } from '#common/errors.js';
import { answerNothingElse } from './verbs.js';

/** Settings of the metrics page: its content and who may read it. */
export interface MetricsPage {
  /** Returns the metrics in Prometheus format. */
  render(): Promise<string>;
  contentType: string;
  /** Bearer token that opens the page. Without one, only requests from this machine are answered. */
  token: string | undefined;
  /** Whether a proxy is trusted: requests that it passes on may come from anywhere. */
  isProxied: boolean;
}

/** Serves `/metrics`, the service's metrics for Prometheus. */
export function createMetricsPage({ render, contentType, token, isProxied }: MetricsPage): Router {
  const show: RequestHandler = (request, response, next) => {
    if (token === undefined) {
      if (isProxied || !isDirect(request))
        throw forbidden('Without METRICS_TOKEN, only this machine may read metrics, and not through a proxy.');
    } else if (!same(request.headers.authorization ?? '', `Bearer ${token}`)) {
      throw unauthenticated();
    }
    render().then((text) => response.writeHead(200, { 'Content-Type': contentType }).end(text), next);
  };
  const router = Router({ caseSensitive: true, strict: true });
  const place = router.route('/metrics');
  place.get(show);
  answerNothingElse(place, ['GET']);
  return router;
}

/** Headers that proxies add. */
const ofProxies = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether the request comes from a program on this machine that called a local name. A proxy on this machine passes on
 * the host name that it was called by, or adds a header.
 */
const isDirect = ({ headers, hostname, socket }: Request): boolean =>
  isLoopback(socket.remoteAddress) &&
  (hostname === 'localhost' || isLoopback(hostname?.replace(/^\[|\]$/g, ''))) &&
  !ofProxies.some((name) => name in headers);

const isLoopback = (address: string | undefined) =>
  address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** Compares two texts in constant time. */
const same = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
const digest = (text: string) => createHash('sha256').update(text).digest();
