# not run yet
# The release workflow fills in the address of the source archive and its SHA-256.
class Sluice < Formula
  desc "Takes tool calls out of a language model's output while it streams"
  homepage "SOURCE"
  url "SOURCE/releases/download/vVERSION/sluice-VERSION-source.tar.gz"
  sha256 "SHA256"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "cjson"

  # linked into the library and the command: the releases of cmake/private_lua.cmake and cmake/argparse.cmake
  resource "lua" do
    url "https://www.lua.org/ftp/lua-5.4.7.tar.gz"
    sha256 "9fbf5e28ef86c69858f6d3d34eccc32e911c1a28b4120ff3e84aaa70cfbf1e30"
  end
  resource "lpeg" do
    url "https://www.inf.puc-rio.br/~roberto/lpeg/lpeg-1.1.0.tar.gz"
    sha256 "4b155d67d2246c1ffa7ad7bc466c1ea899bbc40fef0257cc9c03cecbaed4352a"
  end
  resource "argparse" do
    url "https://github.com/luarocks/argparse/archive/refs/tags/0.7.1.tar.gz"
    sha256 "d344e49404c3e7b3e7fa4fe6741c106f25909d9b24923cb08dcceda1f9754809"
  end

  def install
    archives = resources.map { |r| "-DSLUICE_#{r.name.upcase}_ARCHIVE=#{r.fetch}" }
    system "cmake", "-S", ".", "-B", "build", "-DSLUICE_BUILD_TESTS=OFF", "-DSLUICE_BUILD_LUA_MODULES=OFF", *archives, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"response").write '<tool_call>{"name": "now", "arguments": {}}</tool_call>'
    assert_match '"name": "now"', shell_output("#{bin}/sluice parse -s hermes response")
  end
end
