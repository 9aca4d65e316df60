export default function start(): Promise<void>;
