import type { Manifest } from './render.ts';

export interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources?: { readonly requests?: object; readonly limits?: { readonly memory?: string } };
  readonly securityContext?: object;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: object;
  readonly containers: readonly Container[];
}

/** The pods of a rendered chart, by the kind and name of what makes them. */
export function podsOf(manifests: readonly Manifest[]): { readonly owner: string; readonly pod: PodSpec }[] {
  return manifests.flatMap(({ kind, metadata, spec }) => {
    const owner = `${kind} ${metadata.name}`;
    if (kind === 'Pod') return [{ owner, pod: spec as unknown as PodSpec }];
    const template = spec?.['template'] as { spec: PodSpec } | undefined;
    return template === undefined ? [] : [{ owner, pod: template.spec }];
  });
}

/** Literal variables of the first container of a pod; those that Kubernetes fills get a placeholder. */
export function environmentOf({ containers: [container] }: PodSpec): Record<string, string> {
  return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? 'placeholder']));
}
