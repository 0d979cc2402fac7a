/** Key of a thread of an instance. It starts with the instance's id and a line break. */
export function threadKey({ instance, threadName }: { instance: string; threadName: string }): string {
  return `${instance}\n${threadName}`;
}
