/** The content of tool results, prompts and resources, as both protocol eras write it. */

interface TextContent {
  readonly type: 'text';
  readonly text: string;
}
interface MediaContent {
  readonly type: 'image' | 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}
interface EmbeddedResource {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}
interface ResourceLink {
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
