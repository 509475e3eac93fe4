/*
 * UnixSocketFactory.java
 *	  Sockets in the file system for JDBC, which by itself knows TCP only.
 *
 * An URL names the class and the socket:
 * jdbc:postgresql:DATABASE?socketFactory=UnixSocketFactory&socketFactoryArg=SOCKET
 *
 * For tests, against a server that does not listen to anyone else: timeouts are ignored,
 * so that waiting for notifications does not end.
 */
import java.io.InputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import javax.net.SocketFactory;

public final class UnixSocketFactory extends SocketFactory
{
	private final String file;

	public UnixSocketFactory(String file)
	{
		this.file = file;
	}

	@Override
	public Socket createSocket()
	{
		return new UnixSocket(UnixDomainSocketAddress.of(file));
	}

	@Override
	public Socket createSocket(String host, int port)
	{
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(String host, int port, InetAddress local, int localPort)
	{
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(InetAddress host, int port)
	{
		throw new UnsupportedOperationException();
	}

	@Override
	public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
	{
		throw new UnsupportedOperationException();
	}

	private static final class UnixSocket extends Socket
	{
		private final UnixDomainSocketAddress address;
		private SocketChannel channel;
		private InputStream in;
		private OutputStream out;

		UnixSocket(UnixDomainSocketAddress address)
		{
			this.address = address;
		}

		/* The address is that of the URL, which means nothing here. */
		@Override
		public void connect(SocketAddress ignored, int timeout) throws IOException
		{
			channel = SocketChannel.open(address);
			in = Channels.newInputStream(channel);
			out = Channels.newOutputStream(channel);
		}

		@Override
		public void connect(SocketAddress ignored) throws IOException
		{
			connect(ignored, 0);
		}

		@Override
		public InputStream getInputStream()
		{
			return in;
		}

		@Override
		public OutputStream getOutputStream()
		{
			return out;
		}

		@Override
		public boolean isConnected()
		{
			return channel != null;
		}

		@Override
		public boolean isClosed()
		{
			return channel != null && !channel.isOpen();
		}

		@Override
		public void close() throws IOException
		{
			if (channel != null)
				channel.close();
		}

		@Override
		public void setTcpNoDelay(boolean on)
		{
		}

		@Override
		public void setKeepAlive(boolean on)
		{
		}

		@Override
		public void setSoTimeout(int timeout)
		{
		}

		@Override
		public int getSoTimeout()
		{
			return 0;
		}

		@Override
		public int getSendBufferSize()
		{
			return 8192;
		}

		@Override
		public int getReceiveBufferSize()
		{
			return 8192;
		}
	}
}
