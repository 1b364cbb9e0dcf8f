/* Identifiers and times that all examples share. */

export const organizationId = '019aa0de-7c00-7000-8000-00000000a001';
export const userId = '019aa0de-7c00-7000-8000-00000000a002';
export const teamId = '019aa0de-7c00-7000-8000-00000000a003';
export const productId = '019aa0de-7c00-7000-8000-00000000a004';
export const deviceId = '019aa0de-7c00-7000-8000-00000000a005';
export const applicationId = '019aa0de-7c00-7000-8000-00000000a006';
export const applicationHookId = '019aa0de-7c00-7000-8000-00000000a007';
export const deliveryId = '019aa0de-7c00-7000-8000-00000000a008';
export const jobId = '019aa0de-7c00-7000-8000-00000000a009';
export const tokenId = '019aa0de-7c00-7000-8000-00000000a010';
export const provisioningTokenId = '019aa0de-7c00-7000-8000-00000000a011';
export const importId = '019aa0de-7c00-7000-8000-00000000a012';
export const alertRuleId = '019aa0de-7c00-7000-8000-00000000a013';
export const siteId = '019aa0de-7c00-7000-8000-00000000a014';
export const commandId = '019aa0de-7c00-7000-8000-00000000a015';
export const networkServerId = '019aa0de-7c00-7000-8000-00000000a016';
export const createdAt = '2026-11-20T12:00:00.000Z';
export const updatedAt = '2026-11-20T12:30:00.000Z';
/** Serial number of the device in all examples. */
export const serial = '70b3d57ed005abcd';
