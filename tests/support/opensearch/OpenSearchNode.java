import org.codelibs.opensearch.runner.OpenSearchRunner;

/** One node in a process of its own: FOLDER HTTP_PORT TRANSPORT_PORT */
public class OpenSearchNode {
    public static void main(String[] arguments) throws Exception {
        OpenSearchRunner runner = new OpenSearchRunner();
        runner.onBuild((number, settings) -> {
            settings.put("cluster.name", "focused-tests");
            settings.put("node.name", "node");
            settings.put("network.host", "127.0.0.1");
            settings.put("http.port", arguments[1]);
            settings.put("transport.port", arguments[2]);
            settings.putList("discovery.seed_hosts", "127.0.0.1:" + arguments[2]);
            settings.putList("cluster.initial_cluster_manager_nodes", "node");
            settings.put("cluster.routing.allocation.disk.threshold_enabled", "false");
        });
        runner.build(OpenSearchRunner.newConfigs().basePath(arguments[0]).numOfNode(1));
        Thread.currentThread().join();
    }
}
