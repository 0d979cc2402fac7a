export function generateVersion(): void;
