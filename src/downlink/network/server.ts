import type { NetworkServerKindName } from '#entities/network-server.js';

/** A network server as it is stored, with its key encrypted. */
export interface StoredServer {
  id: string;
  organizationId: string;
  kind: NetworkServerKindName;
  address: string;
  application: string;
  apiKey: string;
}

/** Returns the place that the key of a network server is sealed for. */
export const keyPlace = (serverId: string): string => `network_server/${serverId}/api_key`;
