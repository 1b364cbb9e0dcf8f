import { mqtt, organizationId } from '../api/session.js';

/** Quotes a text for a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a curl command for a path of the API. Without a token, the command takes it from the shell's variable `TOKEN`. */
export const callCommand = (
  path: string,
  { token, body, verb }: { token?: string | undefined; body?: object; verb?: string },
): string => {
  const authorization =
    token === undefined ? '"Authorization: Bearer $TOKEN"' : quoted(`Authorization: Bearer ${token}`);
  const json =
    body === undefined ? '' : ` -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`;
  return `curl${verb === undefined ? '' : ` -X ${verb}`} -H ${authorization}${json} \\\n  ${location.origin}/ddp/v1/${path}`;
};

/** Returns a curl command that posts JSON to a path below the organization. */
export const postCommand = (path: string, body: object, token?: string): string =>
  callCommand(`organizations/${organizationId.value}/${path}`, { body, token });

/** Returns a curl command that posts a record of a device. The device's own token is enough for it. */
export const postRecordCommand = (deviceId: string, data: object, token?: string): string =>
  callCommand(`devices/${organizationId.value}/${deviceId}/records`, { body: { data }, token });

/** Returns a command that publishes a record with the token of its device; undefined if MQTT is off. */
export const publishCommand = (data: object, token: string): string | undefined => {
  if (mqtt.value === null) return undefined;
  const { port, encrypted } = mqtt.value;
  const tls = encrypted ? ' --tls-use-os-certs' : '';
  return `mosquitto_pub -h ${location.hostname} -p ${port}${tls} -q 1 -u ${token} \\\n  -t v1/devices/me/telemetry -m ${quoted(JSON.stringify(data))}`;
};
