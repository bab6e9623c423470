/** The content of tool results, prompts and resources, as both protocol eras write it. */

export interface TextContent {
  readonly type: 'text';
  readonly text: string;
}
export interface MediaContent {
  readonly type: 'image' | 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}
export interface EmbeddedResource {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}
export type ContentBlock = TextContent | MediaContent | EmbeddedResource | ResourceLink;

export type ResourceContents =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  /** `blob` is base64. */
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string };
