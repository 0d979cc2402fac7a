/** Whether reports go to a file instead of an OTLP receiver. */
export function isFileUrl(url: string | undefined): boolean {
  return url?.toLowerCase().startsWith('file:') ?? false;
}
