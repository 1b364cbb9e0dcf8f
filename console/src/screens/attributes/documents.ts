import {
  DeviceAttributesDocument,
  DeviceAttributeVersionsDocument,
  RemoveDeviceAttributeDocument,
  RemoveSiteAttributeDocument,
  SetDeviceAttributesDocument,
  SetSiteAttributesDocument,
  SiteAttributesDocument,
  SiteAttributeVersionsDocument,
} from '../../api/documents.js';

/** A device or a site, which has attributes. */
export interface AttributeOwner {
  readonly kind: 'device' | 'site';
  readonly id: string;
}

/** Operations on the attributes of devices and of sites. */
export const documents = {
  device: {
    list: DeviceAttributesDocument,
    versions: DeviceAttributeVersionsDocument,
    set: SetDeviceAttributesDocument,
    remove: RemoveDeviceAttributeDocument,
  },
  site: {
    list: SiteAttributesDocument,
    versions: SiteAttributeVersionsDocument,
    set: SetSiteAttributesDocument,
    remove: RemoveSiteAttributeDocument,
  },
} as const;
